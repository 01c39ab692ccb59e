// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/callers.h"

/* This runs in signal handlers too: nothing is called that is not here, and no structure is copied
 * that a compiler would copy by a call. */

/* Frames of recursion that are folded are no more frames, but each is a step. */
#define STEPS_MOST 16384

/* Code without a table keeps frame pointers or none: what is followed must at least look so. */
static enum unwind_end step_by_pointer(struct unwind_walk *walk)
{
	struct unwind_frame *frame = &walk->frame;
	uint64_t bp = frame->bp, caller_bp, caller_ip;
	uint32_t size = walk->word_size;

	if (!frame->has_bp || bp < frame->sp || bp % size)
		return UNWIND_NO_RULE;
	if (!walk->read(walk->context, bp, size, &caller_bp) ||
	    !walk->read(walk->context, bp + size, size, &caller_ip))
		return UNWIND_NOT_READABLE;
	frame->ip = caller_ip;
	frame->sp = bp + 2 * (uint64_t)size;
	frame->bp = caller_bp;
	frame->registers = NULL;
	frame->has_bx = frame->is_exact = false;
	return UNWIND_GOES_ON;
}

/* Where the function begins that ROW is of: one row for all its addresses. */
static const struct unwind_row *function_of(const struct unwind_table *table,
					    const struct unwind_row *row)
{
	if (!row || row->back == UINT16_MAX || row->back > row - table->rows)
		return NULL;
	return row - row->back;
}

static bool has_flag(const struct unwind_table *table, const struct unwind_row *row,
		     enum unwind_rule_flag flag)
{
	return row && unwind_has_rule(table, row) && (table->rules[row->rule].flags & flag);
}

/* Calls that follow one another in one function are one frame, of which the outermost call is kept:
 * where it was called from is what its callers know of it. */
bool unwind_keep(struct unwind_walk *walk, const struct unwind_call *call,
		 const struct unwind_row *function)
{
	struct unwind_call *last = walk->count ? &walk->calls[walk->count - 1] : NULL;

	if (!walk->no_fold && last && !call->interrupted && !last->interrupted &&
	    last->space == call->space &&
	    (last->offset == call->offset || (function && function == walk->function))) {
		last->offset = call->offset;
		last->folded = true;
		return true;
	}
	if (walk->count == walk->most)
		return false;
	last = &walk->calls[walk->count++];
	last->space = call->space;
	last->offset = call->offset;
	last->interrupted = call->interrupted;
	last->folded = false;
	walk->function = function;
	return true;
}

static enum unwind_end step(struct unwind_walk *walk, const struct unwind_site *site,
			    const struct unwind_row *row)
{
	struct unwind_rule rule;
	enum unwind_end end;

	if (!walk->framed || !has_flag(site->table, row, UNWIND_FRAMED))
		return unwind_step_by(site->table, site->offset, &walk->frame, walk->read,
				      walk->context);
	end = walk->framed(walk->context, site, walk->frame.is_exact, &rule);
	if (end != UNWIND_GOES_ON)
		return end;
	return unwind_step(&walk->frame, &rule, walk->word_size, walk->read, walk->context);
}

/* From one frame to its caller. */
static enum unwind_end go_up(struct unwind_walk *walk, bool is_sample)
{
	const struct unwind_row *row = NULL;
	struct unwind_site site;
	struct unwind_call call;
	enum unwind_end end = walk->find(walk->context, unwind_address(&walk->frame), &site);

	if (end != UNWIND_GOES_ON)
		return end;
	if (site.table && site.table->word_size != walk->word_size)
		site.table = NULL; /* another program's than the one that runs it now */
	if (site.table)
		row = unwind_find(site.table, site.offset);
	call.space = site.space;
	call.offset = site.offset + !walk->frame.is_exact;
	/* Nobody has called from the code that a signal's handler returns to. */
	call.interrupted = walk->frame.is_exact || has_flag(site.table, row, UNWIND_SIGNAL);
	call.folded = false;
	if (!is_sample && !unwind_keep(walk, &call, function_of(site.table, row)))
		return UNWIND_TOO_DEEP;
	if (site.table && site.table->row_count)
		return step(walk, &site, row);
	return site.table || site.has_pointers ? step_by_pointer(walk) : UNWIND_NO_TABLE;
}

enum unwind_end unwind_callers(struct unwind_walk *walk, bool has_sample)
{
	for (uint32_t steps = 0; steps < STEPS_MOST; steps++) {
		enum unwind_end end = go_up(walk, has_sample && !steps);

		if (end != UNWIND_GOES_ON)
			return end;
	}
	return UNWIND_TOO_DEEP;
}
