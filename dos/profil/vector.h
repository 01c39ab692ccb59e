/* SPDX-License-Identifier: BSD-2-Clause */
/* An interrupt vector that PROFIL takes while the program runs. */
#ifndef VECTOR_H
#define VECTOR_H

/* Laid out as the .s files have it. */
struct vector {
	unsigned number;
	unsigned handler; /* in the own segment */
	unsigned old_offset;
	unsigned old_segment;
};

/* Point VECTOR's number at its handler and remember where it pointed.  Interrupts are off. */
void vector_take(struct vector *vector);

/* Point it back.  Where a program that is RESIDENT has taken it since, it is left alone, for that
 * program's handler goes on to ours.  Interrupts are off.
 * Returns whether the handler must stay in memory. */
int vector_give_back(struct vector *vector, int resident);

#endif
