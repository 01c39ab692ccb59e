// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/pc_list.h"

#include "engine/inside/there.h"

/* No system has smaller ones. */
#define PAGE_MIN 4096

struct unaligned_pc {
	uintptr_t pc;
} __attribute__((packed, may_alias));

size_t pc_list_used(const struct pc_list *list)
{
	return __atomic_load_n(&list->used, __ATOMIC_RELAXED);
}

static bool is_place_there(uintptr_t place)
{
	uintptr_t last = place + sizeof(struct unaligned_pc) - 1;

	return is_there(place) && (place / PAGE_MIN == last / PAGE_MIN || is_there(last));
}

/* The place is taken first, so that no two threads write to the same. */
enum pc_list_result pc_list_add(struct pc_list *list, uintptr_t pc)
{
	size_t used = pc_list_used(list);
	uintptr_t place;

	do {
		if (used >= list->room)
			return PC_LIST_IS_FULL;
		place = (uintptr_t)list->pcs + used * sizeof(pc);
		if (!is_place_there(place))
			return PC_LIST_IS_GONE;
	} while (!__atomic_compare_exchange_n(&list->used, &used, used + 1, /* weak= */ true,
					      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	((struct unaligned_pc *)place)->pc = pc;
	return PC_LISTED;
}
