/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* This process's memory as /proc/self/maps has it. */

struct mapping {
	uintptr_t start, end;
	uint64_t offset;
	int protection; /* PROT_READ and so on */
	bool plain;	/* private, of no file, and not the stack, which grows by itself */
	bool lent;	/* pages of a BPF map */
};

/* Call TAKE for every mapping, in rising order, until it returns something else than 0; returns
 * that, or -errno. */
int maps_walk(int (*take)(void *context, const struct mapping *mapping), void *context);
