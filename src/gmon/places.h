/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/arcs.h"
#include "gmon/clock.h"
#include "gmon/objects.h"

/* What is in a profile: each place once that has ticks, calls or is called, in order of the
 * objects' numbers and of addresses; and the calls between them.  A copy, for other threads count
 * on while it is written. */

struct place {
	uint64_t address; /* as the file has it; in no object an enum unresolved_reason */
	uint64_t ticks;
	uint64_t object; /* index of objects */
};

struct places_call {
	uint32_t caller, callee; /* indexes of places; PLACES_NOBODY: not known */
	uint64_t count;
};

#define PLACES_NOBODY UINT32_MAX

struct places {
	const struct object **objects; /* those of the places; the last may be NULL: nowhere */
	size_t object_count;
	struct place *places;
	size_t count;
	uint64_t ticks; /* of all places */
	struct places_call *calls;
	size_t call_count;
	void *memory; /* places_free()'s */
	size_t bytes;
};

/* ACCOUNT has the samples that are in no cell.  Calls of functions of no object are left out.
 * Returns 0 or -ENOMEM.  Signal-safe: yes.  Thread-safe: yes. */
int places_collect(struct places *ret_places, const struct arcs_table *calls,
		   const struct clock_account *account);
void places_free(struct places *places);

/* As qsort(3), which may allocate and so is not for a handler; stable.  SPARE has as many elements
 * as ITEMS and is of no use afterwards.  Signal-safe: yes.  Thread-safe: yes. */
void places_sort(void *items, void *spare, size_t count, size_t size,
		 int (*compare)(const void *left, const void *right));
