// SPDX-License-Identifier: BSD-2-Clause
/* Who called: from the contexts that the programs have made to the histogram's.  They may have
 * written anything, so that a way up may lead anywhere, and round in circles. */
#include "engine/timer/private.h"

#include "base/array.h"

#include <errno.h>

/* A context as it was read once, for it may change. */
struct call {
	uint32_t number;
	uint64_t key, caller;
};

/* From the context NUMBER up to one that was read before, which *RET_KNOWN is then (0: there is no
 * caller).  Returns how many there are, or -1: it leads nowhere. */
static int read_chain(const struct reading *reading, uint32_t number,
		      struct call chain[HANDOFF_CALLS_MOST], uint32_t *ret_known)
{
	int count = 0;

	*ret_known = 0;
	while (number) {
		struct handoff_context *context;
		struct call *call = &chain[count];

		if (number > reading->context_room)
			return -1;
		*ret_known = reading->contexts[number - 1];
		if (*ret_known)
			break;
		if (count == HANDOFF_CALLS_MOST)
			return -1;
		context = &reading->stacks.contexts[number - 1];
		call->number = number;
		call->key = __atomic_load_n(&context->key, __ATOMIC_RELAXED);
		call->caller = __atomic_load_n(&context->caller, __ATOMIC_RELAXED);
		number = (uint32_t)call->caller;
		count++;
	}
	return count;
}

/* Returns 0, -ENOMEM, or -EINVAL: it is nowhere that is known. */
static int add_context(struct reading *reading, const struct call *call, uint32_t parent)
{
	struct histogram *histogram = reading->histogram;
	unsigned what = (unsigned)(call->caller >> 32);
	struct histogram_cell place;

	if (!preload_place(reading, call->key, &place) ||
	    (place.space == CELL_ANONYMOUS && place.task == HISTOGRAM_NO_TASK))
		return -EINVAL;
	if (ARRAY_RESERVE(histogram->contexts, histogram->context_capacity,
			  histogram->context_count + 1))
		return -ENOMEM;
	histogram->contexts[histogram->context_count++] = (struct histogram_context){
		.parent = parent,
		.space = place.space,
		.file = place.file,
		.task = place.space == CELL_ANONYMOUS ? place.task : HISTOGRAM_NO_TASK,
		.address = place.address,
		.interrupted = what & HANDOFF_INTERRUPTED,
		.folded = what & HANDOFF_FOLDED,
	};
	reading->contexts[call->number - 1] = (uint32_t)histogram->context_count;
	return 0;
}

/* The context NUMBER and all above it, those first, to *RET_CONTEXT.  The same. */
static int read_context(struct reading *reading, uint32_t number, uint32_t *ret_context)
{
	struct call chain[HANDOFF_CALLS_MOST];
	uint32_t context;
	int count = read_chain(reading, number, chain, &context), ret = count < 0 ? -EINVAL : 0;

	while (!ret && count--) {
		ret = add_context(reading, &chain[count], context);
		context = (uint32_t)reading->histogram->context_count;
	}
	if (!ret)
		*ret_context = context;
	return ret;
}

int preload_read_caller(struct reading *reading, uint64_t number, struct histogram_cell *cell)
{
	uint64_t caller, end;
	int ret;

	if (!reading->stacks.callers)
		return 0;
	caller = __atomic_load_n(&reading->stacks.callers[number], __ATOMIC_RELAXED);
	end = caller >> 32;
	cell->stack_end = end && end < STACK_ENDS ? (enum stack_end)end : STACK_NOT_READABLE;
	ret = read_context(reading, (uint32_t)caller, &cell->context);
	if (ret == -EINVAL)
		cell->stack_end = STACK_NOT_READABLE;
	return ret == -EINVAL ? 0 : ret;
}
