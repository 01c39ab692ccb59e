// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/scopes.h"

#include "base/array.h"
#include "symbol/dies.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#define SCOPES_MAX 1000000 /* in one function; what comes after is charged to its surroundings */

struct walk {
	struct scopes *scopes;
	uint32_t around[DIES_DEPTH + 1]; /* the scope that holds the DIEs of each depth */
};

static int enter_scope(struct walk *walk, Dwarf_Die *die, size_t depth)
{
	struct scopes *scopes = walk->scopes;
	uint32_t index = (uint32_t)scopes->count;

	if (index == SCOPES_MAX)
		return DIES_PASS;
	if (dies_add_ranges(die, /* code= */ NULL, (uint32_t)depth, index, &scopes->ranges) ||
	    ARRAY_RESERVE(scopes->items, scopes->capacity, scopes->count + 1))
		return -ENOMEM;
	scopes->items[scopes->count++] = (struct scope){*die, walk->around[depth]};
	walk->around[depth + 1] = index;
	return DIES_ENTER;
}

static int visit(void *context, Dwarf_Die *die, size_t depth)
{
	struct walk *walk = context;

	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		return enter_scope(walk, die, depth);
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		walk->around[depth + 1] = walk->around[depth];
		return DIES_ENTER;
	default:
		return DIES_PASS;
	}
}

int scopes_read(struct scopes *scopes, const Dwarf_Die *function)
{
	struct walk walk = {.scopes = scopes, .around = {SCOPE_NONE}};
	Dwarf_Die root = *function;

	if (scopes->function == function->addr)
		return 0;
	scopes->function = NULL;
	scopes->count = 0;
	spans_done(&scopes->ranges);
	if (dies_walk(&root, visit, &walk) || spans_finish(&scopes->ranges, spans_by_rank))
		return -ENOMEM;
	scopes->function = function->addr;
	return 0;
}

uint32_t scopes_find(const struct scopes *scopes, uint64_t address)
{
	const struct span *span = spans_find(&scopes->ranges, address);

	return span ? (uint32_t)span->value : SCOPE_NONE;
}

void scopes_done(struct scopes *scopes)
{
	free(scopes->items);
	spans_done(&scopes->ranges);
	*scopes = (struct scopes){0};
}
