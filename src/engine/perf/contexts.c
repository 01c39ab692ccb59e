// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/contexts.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const struct histogram_context *context)
{
	const uint64_t words[] = {
		context->address,
		(uint64_t)context->file << 32 | context->task,
		(uint64_t)context->parent << 32 | (uint64_t)context->space << 2 |
			(uint64_t)context->interrupted << 1 | context->folded,
	};

	return hash_bytes(words, sizeof(words));
}

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct perf_contexts *contexts = set;
	const struct histogram_context *a = &contexts->contexts[number], *b = key;

	return a->address == b->address && a->parent == b->parent && a->space == b->space &&
	       a->file == b->file && a->task == b->task && a->interrupted == b->interrupted &&
	       a->folded == b->folded;
}

int perf_contexts_init(struct perf_contexts *contexts, size_t limit)
{
	*contexts = (struct perf_contexts){.contexts = calloc(limit, sizeof(*contexts->contexts)),
					   .limit = limit};
	return contexts->contexts ? slots_grow(&contexts->slots, limit) : -ENOMEM;
}

uint32_t perf_contexts_add(struct perf_contexts *contexts, const struct histogram_context *context)
{
	uint32_t *slot =
		slots_find(&contexts->slots, member_is, contexts, context, hash_of(context));

	if (*slot)
		return *slot;
	if (contexts->count == contexts->limit)
		return 0;
	contexts->contexts[contexts->count++] = *context;
	*slot = (uint32_t)contexts->count;
	return *slot;
}

int perf_contexts_read(const struct perf_contexts *contexts, struct histogram *histogram)
{
	if (ARRAY_RESERVE(histogram->contexts, histogram->context_capacity, contexts->count))
		return -ENOMEM;
	if (contexts->count)
		memcpy(histogram->contexts, contexts->contexts,
		       contexts->count * sizeof(*contexts->contexts));
	histogram->context_count = contexts->count;
	return 0;
}

void perf_contexts_done(struct perf_contexts *contexts)
{
	free(contexts->contexts);
	slots_done(&contexts->slots);
	*contexts = (struct perf_contexts){0};
}
