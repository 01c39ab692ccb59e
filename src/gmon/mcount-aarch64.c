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

/* The slot of the arc among COUNT from SLOT on, up to the first free one; else NULL. */
static inline struct arcs_slot *look(struct arcs_slot *slot, uint32_t count, uintptr_t from,
				     uintptr_t self)
{
	for (; count-- && slot->from; slot++)
		if (slot->from == from && slot->self == self)
			return slot;
	return NULL;
}

/* On aarch64 the compiler makes the call like any other, with the caller's return address as its
 * argument: no register is to be kept but those that every function keeps. */
EXPORT void _mcount(void *from_address)
{
	uintptr_t from = plain(from_address), self = plain(__builtin_return_address(0));
	struct arcs_table *table = arcs_mine;
	struct arcs_slot *slot = NULL;

	if (!__atomic_load_n(&arcs_on, __ATOMIC_RELAXED))
		return;
	if (table) {
		slot = look(arcs_near(table, from, self), ARCS_NEAR, from, self);
		if (!slot)
			slot = look(arcs_far(table, from, self), table->slot_count, from, self);
	}
	if (slot)
		__atomic_fetch_add(&slot->count, 1, __ATOMIC_RELAXED);
	else
		arcs_count(from, self);
}

EXPORT void mcount(void *from) __attribute__((alias("_mcount")));
