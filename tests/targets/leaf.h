/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_TARGETS_LEAF_H
#define PROFIL_TESTS_TARGETS_LEAF_H

/* The ends of call stacks, for targets that say by the names of their functions what a stack must
 * be. */
#include "truth.h"

#define NOINLINE __attribute__((noinline))

/* So that what calls does not end in a jump, and what is passed is not known. */
static volatile unsigned long after;

/* Where the time goes: NAME ends the path of its kind. */
#define LEAF(name)                                             \
	NOINLINE static void name(void)                        \
	{                                                      \
		unsigned long turns = truth_turns_per_ms * 20; \
                                                               \
		do                                             \
			__asm__ volatile("" : "+r"(turns));    \
		while (--turns);                               \
	}                                                      \
	struct truth

typedef void leaf(void);

#endif
