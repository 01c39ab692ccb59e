/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's file: how large the program is that will be sampled. */
#ifndef IMAGE_H
#define IMAGE_H

/* Measure the program in the open file HANDLE called NAME.
 * An .EXE takes the pages of its header, of 32 paragraphs each, with the header itself and the part
 * of the last page that it does not fill; any other is a .COM and takes its length.  Both in 16
 * bits, as the original has them.
 * Returns 0 and the paragraphs in RET_PARAGRAPHS, or 1 for an .EXE that does not begin with a whole
 * header and MZ. */
int image_size(unsigned handle, const char *name, unsigned *ret_paragraphs);

/* Whether the relocations of the .EXE that image_size() read last, if it was one, are in its file.
 */
int image_is_whole(void);

/* Whether the program that image_size() read last, if DOS takes it for a .COM, has room in a
 * segment: not every DOS looks. */
int image_fits(void);

#endif
