/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_DOS_PROHST_SINGLE_H
#define PROFIL_DOS_PROHST_SINGLE_H

#include "dos/prohst/wide.h"

/* The reals that PROHST 1.0 counted in: not negative, 24 bits of mantissa, each result rounded to
 * the nearest, to an even mantissa where two are as near (IEEE 754 single precision, as an 8087
 * stores it).  Its last printed digit hangs on them where a value lies halfway between two.
 * Signal-safe: yes.  Thread-safe: yes. */

struct single {
	struct wide mantissa; /* 0, or 24 bits with the highest one set */
	int exponent;	      /* the value is mantissa times 2 to this */
};

/* VALUE, 0 to 65,535: exact. */
void single_set(struct single *single, unsigned value);

/* A op= B.  The divisor is not 0. */
void single_add(struct single *a, const struct single *b);
void single_multiply(struct single *a, const struct single *b);
void single_divide(struct single *a, const struct single *b);

/* VALUE times ten, to the nearest whole number, halves up: what is printed with one decimal. */
void single_tenths(const struct single *value, struct wide *ret_tenths);

/* The same, but PROHST 1.0 prints a single with 7 digits at most: from 999,999.95 on the decimal is
 * 0. */
void single_tenths_of_7(const struct single *value, struct wide *ret_tenths);

/* 1 / VALUE in tenths, halves up.  VALUE is 100 / a sum of buckets. */
void single_tenths_of_inverse(const struct single *value, struct wide *ret_tenths);

/* VALUE, below 65,536, to the nearest whole number, halves to the even one; as PROHST 1.0's
 * emulator of the 8087 has it, which gives 0 for a value from 0.5 up to 1 whose mantissa's last 8
 * bits are 0. */
unsigned single_round(const struct single *value);

#endif
