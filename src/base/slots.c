// SPDX-License-Identifier: BSD-2-Clause
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

/* There is always a free one, so a walk ends. */
uint32_t *slots_find(struct slots *slots, const struct slots_members *members, const void *set,
		     const void *key, uint64_t hash)
{
	size_t mask = slots->count - 1, i = hash & mask;

	for (;; i = (i + 1) & mask) {
		uint32_t number = slots->numbers[i];

		slots->looks++;
		if (!number || members->is(set, number - 1, key))
			return &slots->numbers[i];
	}
}

/* Members are distinct: the first free slot is theirs. */
static void put(struct slots *slots, uint64_t hash, uint32_t number)
{
	size_t mask = slots->count - 1, i = hash & mask;

	while (slots->looks++, slots->numbers[i])
		i = (i + 1) & mask;
	slots->numbers[i] = number + 1;
}

int slots_grow(struct slots *slots, const struct slots_members *members, const void *set,
	       size_t member_count)
{
	struct slots bigger = {.count = slots->count ? slots->count * 2 : FIRST_SLOTS,
			       .looks = slots->looks};

	if (member_count * 2 < slots->count)
		return 0;
	bigger.numbers = calloc(bigger.count, sizeof(*bigger.numbers));
	if (!bigger.numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < member_count; i++)
		put(&bigger, members->hash(set, i), i);
	free(slots->numbers);
	*slots = bigger;
	return 0;
}

void slots_done(struct slots *slots)
{
	free(slots->numbers);
	memset(slots, 0, sizeof(*slots));
}
