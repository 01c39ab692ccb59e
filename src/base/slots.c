// SPDX-License-Identifier: BSD-2-Clause
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

/* There is always a free one, so a walk ends. */
uint32_t *slots_find(struct slots *slots, slots_is *is, const void *set, const void *key,
		     uint64_t hash)
{
	size_t mask = slots->count - 1, i = (uint32_t)hash & mask;

	for (;; i = (i + 1) & mask) {
		struct slot *slot = &slots->slots[i];

		slots->looks++;
		if (!slot->number)
			slot->hash = (uint32_t)hash;
		if (!slot->number ||
		    (slot->hash == (uint32_t)hash && is(set, slot->number - 1, key)))
			return &slot->number;
	}
}

/* Members are distinct: the first free slot is theirs. */
static void put(struct slots *slots, struct slot slot)
{
	size_t mask = slots->count - 1, i = slot.hash & mask;

	while (slots->looks++, slots->slots[i].number)
		i = (i + 1) & mask;
	slots->slots[i] = slot;
}

int slots_grow(struct slots *slots, size_t member_count)
{
	struct slots bigger = {.count = slots->count ? slots->count : FIRST_SLOTS,
			       .looks = slots->looks};

	if (member_count * 2 < slots->count)
		return 0;
	while (bigger.count <= member_count * 2)
		bigger.count *= 2;
	bigger.slots = calloc(bigger.count, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < slots->count; i++)
		if (slots->slots[i].number)
			put(&bigger, slots->slots[i]);
	free(slots->slots);
	*slots = bigger;
	return 0;
}

void slots_done(struct slots *slots)
{
	free(slots->slots);
	memset(slots, 0, sizeof(*slots));
}
