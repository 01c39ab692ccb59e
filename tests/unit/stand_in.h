/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_STAND_IN_H
#define PROFIL_TESTS_STAND_IN_H

#include "engine/inside/inside.h"

/* Engines for the tests of what stands above them: two that write down what they are told, and tick
 * when a test says so.  They take the place of list.c's. */

struct inside {
	const struct inside_ops *ops;
	struct inside_options options;
	struct inside_account account;
};

/* What happened last, and how often. */
extern struct stand_in {
	struct inside *on[8]; /* those that run, the last one last */
	size_t count;
	unsigned starts, stops, prepared, parents, children;
	/* What "kernel" and "perf" answer. */
	int first_probe, first_start, second_probe, second_start;
} stand_in;

/* CPU time of as many periods that no tick comes of, of the last one. */
void stand_in_pass(unsigned periods);

/* One tick of the last one that was started, at PC. */
void stand_in_tick(uintptr_t pc);

#endif
