/* SPDX-License-Identifier: BSD-2-Clause */
/* Which part of memory is what: the program, DOS, and the I/O system. */
#ifndef AREA_H
#define AREA_H

/* Take memory behind PROFIL for the buckets of a program of PARAGRAPHS, BUCKET_SIZE each.  One is
 * more than what is needed when the size is an exact multiple; the original has it, too.
 * Returns 0, or 1 when there is not so much. */
int area_take_buckets(unsigned paragraphs, unsigned bucket_size);

/* Fill in the program's range for the PSP it was loaded with, and zero the buckets. */
void area_set_program(unsigned psp, unsigned paragraphs);

/* Find where DOS begins, when the program's range is known: what INT 20h points to; or, where that
 * is not below the program (in DOSBox it is in the ROM) or DOS is in high memory, DOS's list of
 * lists. */
void area_find_dos(void);

#endif
