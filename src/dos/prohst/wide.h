/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_WIDE_H
#define PROFIL_DOS_PROHST_WIDE_H

/* Whole numbers of 64 bits, unsigned, on a machine that has 16.  The C of this component is read by
 * Debian's bcc for the 8086, which has no library and no long arithmetic of its own, and by gcc:
 * one listing, the same to the byte on both. No function here allocates, prints or keeps anything.
 * Signal-safe: yes.  Thread-safe: yes. */

#define WIDE_BYTES 8

struct wide {
	unsigned char bytes[WIDE_BYTES]; /* the lowest first */
};

/* WORD, 0 to 65,535. */
void wide_set(struct wide *wide, unsigned word);

/* Add, subtract (MINUS is not the greater), multiply by 0 to 65,535; all modulo 2^64. */
void wide_add(struct wide *sum, const struct wide *plus);
void wide_subtract(struct wide *difference, const struct wide *minus);
void wide_times(struct wide *product, unsigned factor);
void wide_multiply(struct wide *product, const struct wide *factor);

/* Move by COUNT bits; what falls off is lost. */
void wide_left(struct wide *wide, unsigned count);
void wide_right(struct wide *wide, unsigned count);

/* Negative, 0 or positive, as A is less than, equal to or greater than B. */
int wide_compare(const struct wide *a, const struct wide *b);

/* QUOTIENT, which begins as the dividend, is divided by DIVISOR, not 0; *RET_REST has the rest. */
void wide_divide(struct wide *quotient, const struct wide *divisor, struct wide *ret_rest);

/* How many bits it takes: 0 for 0, 64 at most. */
unsigned wide_bits(const struct wide *wide);

/* Bit NUMBER, 0 to 63. */
unsigned wide_bit(const struct wide *wide, unsigned number);

/* The lowest 16 bits. */
unsigned wide_word(const struct wide *wide);

#endif
