// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/flow.h"

#include "base/array.h"
#include "unwind/jump_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLOW_MOST = 1 << 20,   /* bytes of a function */
	FLOW_REACH = 64 << 10, /* that a jump leads out of what was taken for it */
	TABLE_MOST = 1024,     /* entries of a table of jumps */
};

/* Where code goes after an instruction. */
enum way { ON, BRANCH, JUMP, ELSEWHERE, NOWHERE };

static enum way way_of(const struct instruction *it)
{
	uint8_t opcode = it->opcode;

	if (it->is_vector)
		return ON;
	if (it->map == 1) {
		if ((opcode & 0xf0) == 0x80)
			return BRANCH;
		return opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ? NOWHERE : ON;
	}
	if (it->map)
		return ON;
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0)
		return BRANCH;
	if (opcode == 0xe9 || opcode == 0xeb)
		return JUMP;
	if (opcode == 0xff && (it->sub == 4 || it->sub == 5))
		return ELSEWHERE;
	return opcode == 0xc3 || opcode == 0xc2 || opcode == 0xca || opcode == 0xcb ||
			       opcode == 0xcc || opcode == 0xcf || opcode == 0xf4
		       ? NOWHERE
		       : ON;
}

static void doubt(struct flow *flow, enum flow_result result, size_t at)
{
	if (flow->result >= result)
		return;
	flow->result = result;
	flow->doubt = at;
}

/* The code goes on from the instruction AT to TO with MOTION. */
static int reach(struct flow *flow, size_t at, int64_t to, const struct motion *motion)
{
	struct motion from = *motion;
	struct motion *there;

	if (to < 0 || (size_t)to >= flow->code.size) {
		/* A call in place of a return leaves the frame as it was. */
		if (motion_is_entry(motion) || motion_is_lost(motion) || flow->phase > 1)
			return 0;
		if (to < 0 || (size_t)to > flow->code.size + FLOW_REACH)
			doubt(flow, FLOW_DOUBTFUL, at);
		else
			doubt(flow, FLOW_LONGER, at);
		if (to > (int64_t)flow->furthest)
			flow->furthest = (size_t)to;
		return 0;
	}
	there = &flow->motions[to];
	from.reached = flow->phase;
	if ((there->reached && there->reached != flow->phase) || !motion_meet(there, &from))
		return 0;
	if (ARRAY_RESERVE(flow->waiting, flow->waiting_capacity, flow->waiting_count + 1))
		return -ENOMEM;
	flow->waiting[flow->waiting_count++] = (uint32_t)to;
	return 0;
}

/* Code that cannot be what it was taken for: a return to what is no return address, the end of a
 * frame that was never there. */
static bool is_absurd(const struct motion *motion, const struct instruction *it)
{
	if (it->map)
		return false;
	if (it->opcode == 0xc3 || it->opcode == 0xc2)
		return !motion->taken && motion->sp != MOTION_UNKNOWN &&
		       motion->sp != -motion->call;
	return motion_takes_down(it) && motion->bp == MOTION_UNKNOWN &&
	       motion->saved == MOTION_KEPT;
}

/* Frames as they are where code leaves for what may come back to any place. */
static void note_frame(struct flow *flow, const struct motion *motion)
{
	struct motion frame = *motion;

	if (motion->bp == MOTION_UNKNOWN || flow->phase > 1)
		return;
	frame.sp = MOTION_UNKNOWN;
	motion_meet(&flow->common, &frame);
}

static bool ends_at(const struct flow *flow, size_t at)
{
	for (unsigned i = 0; i < flow->end_count; i++)
		if (flow->ends[i] == at)
			return true;
	return false;
}

/* Whether a call before AT may be its function's last instruction, for it does not return: another
 * function begins, or what fills up until one may. */
static bool may_end(const struct flow *flow, size_t at)
{
	const struct flow_code *code = &flow->code;
	size_t next = at;
	struct instruction it;

	while (!code->has_traps && instruction_read(code->bytes + next, code->size - next, &it) &&
	       (it.map == 1 ? it.opcode == 0x1f : !it.map && it.opcode == 0x90))
		next += it.length;
	return next == code->size || ends_at(flow, at) ||
	       (next > at && (code->offset + next) % code->alignment == 0);
}

/* Whether the instruction before AT, as far as it was reached, is a call. */
static bool is_behind_call(const struct flow *flow, size_t at)
{
	struct instruction it;

	for (size_t length = 2; length <= at && length < 8; length++)
		if (flow->lengths[at - length] == length)
			return instruction_read(flow->code.bytes + at - length, length, &it) &&
			       motion_calls(&it);
	return false;
}

/* What cannot be may be the next function's, which begins just behind a call that does not return:
 * the last one before it that may be such a one.  False: there is none, or too many are. */
static bool end_before_doubt(struct flow *flow)
{
	size_t line = flow->code.alignment, at = flow->doubt;

	at -= (flow->code.offset + at) % line < at ? (flow->code.offset + at) % line : at;
	while (at && (ends_at(flow, at) || !is_behind_call(flow, at)))
		at -= at < line ? at : line;
	if (!at || flow->end_count == FLOW_ENDS)
		return false;
	flow->ends[flow->end_count++] = at;
	return true;
}

/* Follow the jump AT to where its table leads.  Returns 1 where all of that is known, 0, or
 * -ENOMEM. */
static int follow_table(struct flow *flow, size_t at, const struct motion *motion)
{
	const struct flow_code *code = &flow->code;
	int32_t entries[TABLE_MOST];
	struct jump_table table;
	int ret = 0;

	if (!code->read || !jump_table_find(code->bytes, flow->lengths, at, &table) ||
	    table.count > TABLE_MOST ||
	    !code->read(code, table.at, entries, table.count * sizeof(*entries)))
		return 0;
	for (uint32_t i = 0; i < table.count; i++)
		if (table.at + entries[i] < 0 || table.at + entries[i] >= (int64_t)code->size)
			return 0;
	for (uint32_t i = 0; i < table.count && !ret; i++)
		ret = reach(flow, at, table.at + entries[i], motion);
	return ret ? ret : 1;
}

static int follow_one(struct flow *flow, size_t at)
{
	const struct flow_code *code = &flow->code;
	const struct motion *before = &flow->motions[at];
	struct motion after;
	struct instruction it;
	enum way way;
	int ret = 0;

	if (!instruction_read(code->bytes + at, code->size - at, &it))
		return 0;
	flow->lengths[at] = it.length;
	way = way_of(&it);
	if (is_absurd(before, &it) && flow->phase == 1)
		doubt(flow, FLOW_DOUBTFUL, at);
	after = motion_after(*before, &it, /* calls_keep_sp= */ !code->is_v8);
	flow->is_framed |= after.bp != MOTION_UNKNOWN;
	if (way == ELSEWHERE)
		ret = follow_table(flow, at, before);
	if (ret)
		return ret < 0 ? ret : 0;
	if (way == ELSEWHERE || (code->is_v8 && motion_calls(&it)))
		note_frame(flow, before);
	if (way == BRANCH || way == JUMP)
		ret = reach(flow, at, (int64_t)(at + it.length) + it.immediate, &after);
	if (motion_calls(&it) && may_end(flow, at + it.length))
		return 0;
	if (!ret && (way == ON || way == BRANCH))
		ret = reach(flow, at, (int64_t)(at + it.length), &after);
	return ret;
}

static int follow_all(struct flow *flow)
{
	int ret = 0;

	while (flow->waiting_count && !ret)
		ret = follow_one(flow, flow->waiting[--flow->waiting_count]);
	return ret;
}

/* Where no jump leads to, but one that cannot be followed may, the frame is that of the function's
 * frames if they have one form.  Where a function may begin it is not known whose it is. */
static int follow_hidden(struct flow *flow)
{
	const struct flow_code *code = &flow->code;
	size_t at = 0;
	int ret = 0;

	flow->phase = 2;
	if (flow->common.bp == MOTION_UNKNOWN || flow->common.saved == MOTION_UNKNOWN)
		return 0;
	while (at < code->size && !ret) {
		if (flow->motions[at].reached || code->bytes[at] == 0xcc) {
			at += flow_length(flow, at);
			continue;
		}
		if ((code->offset + at) % code->alignment == 0)
			return 0;
		ret = reach(flow, at, (int64_t)at, &flow->common);
		if (!ret)
			ret = follow_all(flow);
		at += flow_length(flow, at);
	}
	return ret;
}

static int make_room(struct flow *flow, size_t size)
{
	if (size > flow->capacity) {
		free(flow->motions);
		free(flow->lengths);
		flow->motions = malloc(size * sizeof(*flow->motions));
		flow->lengths = malloc(size);
		flow->capacity = flow->motions && flow->lengths ? size : 0;
		if (!flow->capacity)
			return -ENOMEM;
	}
	memset(flow->motions, 0, size * sizeof(*flow->motions));
	memset(flow->lengths, 0, size);
	return 0;
}

/* From the first instruction on. */
static int follow_visible(struct flow *flow)
{
	int ret = make_room(flow, flow->code.size);

	flow->common = (struct motion){.bp = MOTION_UNKNOWN};
	flow->waiting_count = flow->furthest = 0;
	flow->is_framed = false;
	flow->phase = 1;
	flow->result = 0;
	if (!ret)
		ret = reach(flow, 0, 0, &motion_at_entry);
	if (!ret)
		ret = follow_all(flow);
	return !ret && flow->result ? (int)flow->result : ret;
}

int flow_follow(struct flow *flow, const struct flow_code *code)
{
	int ret;

	if (code->size > FLOW_MOST)
		return FLOW_DOUBTFUL;
	flow->code = *code;
	flow->end_count = 0;
	do
		ret = follow_visible(flow);
	while (ret == FLOW_DOUBTFUL && end_before_doubt(flow));
	return ret ? ret : follow_hidden(flow);
}

const struct motion *flow_motion(const struct flow *flow, size_t at)
{
	const struct motion *motion = &flow->motions[at];

	return motion->reached && flow->lengths[at] && !motion_is_lost(motion) ? motion : NULL;
}

size_t flow_length(const struct flow *flow, size_t at)
{
	return flow->lengths[at] ? flow->lengths[at] : 1;
}

void flow_done(struct flow *flow)
{
	free(flow->motions);
	free(flow->lengths);
	free(flow->waiting);
	*flow = (struct flow){0};
}
