// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon_calls.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct gmon_call *a = left, *b = right;

	ARRAY_COMPARE(a->object, b->object);
	ARRAY_COMPARE(a->callee, b->callee);
	ARRAY_COMPARE(a->caller, b->caller);
	return 0;
}

static void add_equal(struct gmon_calls *calls)
{
	size_t count = 0;

	ARRAY_SORT(calls->items, calls->count, compare);
	for (size_t i = 0; i < calls->count; i++) {
		struct gmon_call *last = count ? &calls->items[count - 1] : NULL;

		if (last && !compare(last, &calls->items[i]))
			last->count = ticks_add(last->count, calls->items[i].count);
		else
			calls->items[count++] = calls->items[i];
	}
	calls->count = count;
}

static void add_call(struct gmon_calls *calls, const struct profile *profile,
		     const uint32_t *objects, const struct profile_call *call)
{
	const struct profile_location *callee = &profile->locations[call->callee];
	struct gmon_call *added = &calls->items[calls->count++];

	*added = (struct gmon_call){
		.object = objects[callee->mapping],
		.callee = callee->address,
		.count = call->count,
	};
	if (call->caller == PROFILE_NO_CALLER)
		return;
	if (objects[profile->locations[call->caller].mapping] == added->object)
		added->caller = profile->locations[call->caller].address;
	else
		calls->strangers = ticks_add(calls->strangers, call->count);
}

int gmon_calls_of(const struct profile *profile, const uint32_t *objects,
		  struct gmon_calls *ret_calls)
{
	struct gmon_calls calls = {.items = calloc(profile->call_count + 1, sizeof(*calls.items))};

	if (!calls.items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->call_count; i++)
		if (profile->calls[i].count &&
		    profile->locations[profile->calls[i].callee].kind == LOCATION_ADDRESS)
			add_call(&calls, profile, objects, &profile->calls[i]);
	add_equal(&calls);
	*ret_calls = calls;
	return 0;
}

const struct gmon_call *gmon_calls_of_object(const struct gmon_calls *calls, uint32_t object,
					     size_t *ret_count)
{
	size_t first = 0, end;

	while (first < calls->count && calls->items[first].object < object)
		first++;
	for (end = first; end < calls->count && calls->items[end].object == object;)
		end++;
	*ret_count = end - first;
	return calls->items + first;
}
