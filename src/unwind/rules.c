// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/rules.h"

#include "base/array.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { FEWEST_SLOTS = 256 };

static size_t hash(const struct unwind_rule *rule)
{
	const uint64_t factor = 0x9e3779b97f4a7c15;
	uint64_t words[2];
	uint32_t rest;

	memcpy(words, rule, sizeof(words));
	memcpy(&rest, (const char *)rule + sizeof(words), sizeof(rest));
	_Static_assert(sizeof(*rule) == sizeof(words) + sizeof(rest), "a rule has no padding");
	words[0] = (words[0] ^ rest) * factor;
	return (size_t)(((words[0] ^ (words[0] >> 29)) + words[1]) * factor >> 20);
}

/* The slot that RULE is in, or would be. */
static uint16_t *find(const struct unwind_rules *rules, const struct unwind_rule *rule)
{
	size_t slot = hash(rule);

	for (;; slot++) {
		uint16_t *at = &rules->slots[slot & (rules->slot_count - 1)];

		if (!*at || !memcmp(&rules->items[*at], rule, sizeof(*rule)))
			return at;
	}
}

/* At most half of the slots are taken, so that each search ends. */
static int make_room(struct unwind_rules *rules)
{
	size_t slot_count = rules->slot_count ? 2 * rules->slot_count : FEWEST_SLOTS;

	if (ARRAY_RESERVE(rules->items, rules->capacity, rules->count + 1 + UNWIND_FIRST_RULE))
		return -ENOMEM;
	if (!rules->count)
		rules->count = UNWIND_FIRST_RULE;
	if (2 * (rules->count + 1) <= rules->slot_count)
		return 0;
	free(rules->slots);
	rules->slots = calloc(slot_count, sizeof(*rules->slots));
	rules->slot_count = rules->slots ? slot_count : 0;
	if (!rules->slots)
		return -ENOMEM;
	for (size_t i = UNWIND_FIRST_RULE; i < rules->count; i++)
		*find(rules, &rules->items[i]) = (uint16_t)i;
	return 0;
}

int unwind_rules_add(struct unwind_rules *rules, const struct unwind_rule *rule,
		     uint16_t *ret_number)
{
	uint16_t *slot;

	if (rules->last && !memcmp(&rules->items[rules->last], rule, sizeof(*rule))) {
		*ret_number = rules->last;
		return 0;
	}
	if (make_room(rules))
		return -ENOMEM;
	slot = find(rules, rule);
	if (!*slot && rules->count > UINT16_MAX) {
		*ret_number = UNWIND_UNKNOWN;
		return 0;
	}
	if (!*slot) {
		*slot = (uint16_t)rules->count;
		rules->items[rules->count++] = *rule;
	}
	*ret_number = rules->last = *slot;
	return 0;
}

void unwind_rules_finish(struct unwind_rules *rules)
{
	free(rules->slots);
	rules->slots = NULL;
	rules->slot_count = 0;
}
