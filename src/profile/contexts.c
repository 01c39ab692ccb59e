// SPDX-License-Identifier: BSD-2-Clause
#include "profile/contexts.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

struct ordering {
	const struct profile *profile;
	const uint32_t *location_rank;
	/* Of each context and 1, one that it called and one more that its caller called, or 0;
	 * called[0] has no caller. */
	uint32_t *called, *beside;
	uint32_t *order;
	uint32_t count; /* so many are in order */
};

/* Both of one caller. */
static int compare(const void *left, const void *right, void *context)
{
	const struct ordering *ordering = context;
	const struct profile_context *contexts = ordering->profile->contexts;
	const struct profile_context *a = &contexts[*(const uint32_t *)left];
	const struct profile_context *b = &contexts[*(const uint32_t *)right];
	const uint32_t *rank = ordering->location_rank;

	ARRAY_COMPARE(rank[a->location], rank[b->location]);
	ARRAY_COMPARE(a->interrupted, b->interrupted);
	ARRAY_COMPARE(a->folded, b->folded);
	return 0;
}

/* What CALLER, a number and 1, called comes next. */
static void add_called(struct ordering *ordering, uint32_t caller)
{
	uint32_t *first = ordering->order + ordering->count, count = 0;

	for (uint32_t i = ordering->called[caller]; i; i = ordering->beside[i])
		first[count++] = i - 1;
	if (count > 1)
		ARRAY_SORT_BY(first, count, compare, ordering);
	ordering->count += count;
}

static void list_called(const struct ordering *ordering)
{
	const struct profile *profile = ordering->profile;

	for (uint32_t i = 1; i <= profile->context_count; i++) {
		uint32_t *called = &ordering->called[profile->contexts[i - 1].parent];

		ordering->beside[i] = *called;
		*called = i;
	}
}

int contexts_add(struct trie *trie, struct profile *profile, const struct profile_context *context,
		 uint32_t *ret_context)
{
	uint64_t label = (uint64_t)context->location << 2 | (unsigned)context->interrupted << 1 |
			 context->folded;
	uint32_t index;
	int ret = trie_add(trie, context->parent, label, ret_context);

	return ret > 0 ? profile_add_context(profile, context, &index) : ret;
}

int contexts_order(const struct profile *profile, const uint32_t *location_rank,
		   uint32_t *ret_order, uint32_t *ret_rank)
{
	struct ordering ordering = {
		.profile = profile,
		.location_rank = location_rank,
		.called = calloc(profile->context_count + 1, sizeof(uint32_t)),
		.beside = calloc(profile->context_count + 1, sizeof(uint32_t)),
		.order = ret_order,
	};
	int ret = -ENOMEM;

	if (ordering.called && ordering.beside) {
		list_called(&ordering);
		add_called(&ordering, 0);
		for (uint32_t i = 0; i < ordering.count; i++) {
			ret_rank[ret_order[i]] = i;
			add_called(&ordering, ret_order[i] + 1);
		}
		ret = 0;
	}
	free(ordering.called);
	free(ordering.beside);
	return ret;
}
