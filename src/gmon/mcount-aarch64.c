// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/arcs.h"
#include "gmon/gmon.h"

/* The bits that pointer authentication has put into a return address are no part of it; without it
 * the instruction (xpaclri, which knows x30 alone) does nothing. */
static inline uintptr_t plain(const void *address)
{
	register uintptr_t x30 __asm__("x30") = (uintptr_t)address;

	__asm__("hint 7" : "+r"(x30));
	return x30;
}

/* As arcs.h has it; NULL: in none of the table's slots where it may be. */
static inline struct arcs_arc *look(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	struct arcs_arc *arc = arcs_at(table, *arcs_near(table, from));

	if (arc->from == from && arc->self == self)
		return arc;
	for (uint32_t *slot = arcs_near(table, from), *end = slot + ARCS_NEAR;
	     slot < end && arc->from != from; slot++) {
		arc = arcs_at(table, *slot);
		if (arc->from == from && arc->self == self)
			return arc;
	}
	for (uint32_t *slot = arcs_far(table, from, self); *slot; slot++) {
		arc = arcs_at(table, *slot);
		if (arc->from == from && arc->self == self)
			return arc;
	}
	return NULL;
}

/* On aarch64 the compiler makes the call like any other, with the caller's return address as its
 * argument: no register is to be kept but those that every function keeps. */
EXPORT void _mcount(void *from_address)
{
	uintptr_t from = plain(from_address), self = plain(__builtin_return_address(0));
	struct arcs_table *table = arcs_mine;
	struct arcs_arc *arc = NULL;

	if (!__atomic_load_n(&arcs_on, __ATOMIC_RELAXED))
		return;
	if (table)
		arc = look(table, from, self);
	if (arc)
		__atomic_fetch_add(&arc->count, 1, __ATOMIC_RELAXED);
	else
		arcs_count(from, self);
}

EXPORT void mcount(void *from) __attribute__((alias("_mcount")));
