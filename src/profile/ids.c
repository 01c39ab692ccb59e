// SPDX-License-Identifier: BSD-2-Clause
#include "profile/ids.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int ids_add(struct ids *ids, uint64_t id, uint32_t index)
{
	if (ARRAY_RESERVE(ids->items, ids->capacity, ids->count + 1))
		return -ENOMEM;
	ids->items[ids->count++] = (struct id){id, index};
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct id *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

int ids_sort(struct ids *ids)
{
	if (!ids->count)
		return 0;
	ARRAY_SORT(ids->items, ids->count, compare);
	if (!ids->items[0].id)
		return -EBADMSG;
	for (size_t i = 1; i < ids->count; i++)
		if (ids->items[i - 1].id == ids->items[i].id)
			return -EBADMSG;
	return 0;
}

int ids_find(const struct ids *ids, uint64_t id, uint32_t *ret_index)
{
	const struct id key = {.id = id};
	const struct id *found = NULL;

	/* Most writers number from 1. */
	if (id && id <= ids->count && ids->items[id - 1].id == id)
		found = &ids->items[id - 1];
	else if (ids->count)
		found = bsearch(&key, ids->items, ids->count, sizeof(*ids->items), compare);
	if (!found)
		return -EBADMSG;
	*ret_index = found->index;
	return 0;
}

void ids_done(struct ids *ids)
{
	free(ids->items);
	*ids = (struct ids){0};
}
