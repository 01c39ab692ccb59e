/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_PROHST_SINGLE_H
#define PROFIL_PROHST_SINGLE_H

#include "prohst/wide.h"

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

/* A times B to the nearest whole number below 65,536, halves to the even one, out of the exact
 * product: the 8087 rounds its wide register without storing it first. */
unsigned single_round_product(const struct single *a, const struct single *b);

#endif
