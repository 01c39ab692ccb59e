// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/framed.h"

#include "base/array.h"
#include "unwind/function.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes before and behind a place in which its function is looked for, the fewer first: there are
 * large functions, and other compilers' code nearby. */
enum { NEAR = 2 << 10, FAR = 32 << 10, FARTHEST = 128 << 10 };

enum { INSTRUCTION_MOST = 14 }; /* bytes before the last one */

static bool is_before_frame(const uint8_t *before, uint64_t address)
{
	int found = unwind_has_given_back(before);

	for (unsigned back = 1; back < UNWIND_CODE_BEFORE && !found; back++)
		found = unwind_before_frame(before, back, address);
	return found > 0;
}

/* The CFA less the stack pointer before the instruction at AT, or 0: the frame pointer has it.  It
 * is what the walk says (stack_step_bp()). */
static int16_t taken_for(const struct text *text, size_t at)
{
	const uint8_t *bytes = text->bytes + at;

	if (text->size - at < 4 || at < UNWIND_CODE_BEFORE)
		return 0;
	if (bytes[0] == 0x55 || bytes[0] == 0xc3 || !memcmp(bytes, "\xf3\x0f\x1e\xfa", 4))
		return 8; /* push %rbp, ret, endbr64 */
	if (bytes[-1] == 0x55 && !memcmp(bytes, "\x48\x89\xe5", 3))
		return 16; /* mov %rsp,%rbp behind it */
	return is_before_frame(bytes - UNWIND_CODE_BEFORE, text->offset + at) ? 8 : 0;
}

/* Whether MOTION has the return address where the walk took it from, and the caller's frame
 * pointer.  (A built-in function of V8 may put arguments between its caller's stack and them: that
 * caller is V8's, too, and found by its frame pointer.) */
static bool is_so(const struct motion *motion, int16_t taken)
{
	if (!motion)
		return false;
	if (taken)
		return motion->sp == taken && motion->call == -8;
	return motion->bp + motion->call == 8 && motion->bp + motion->saved == 0;
}

/* What is known before the instruction that AT, from the function's start, is in. */
static const struct motion *motion_in(const struct flow *flow, size_t at)
{
	size_t back = 0;

	while (back < INSTRUCTION_MOST && back < at && !flow_motion(flow, at - back))
		back++;
	return flow_length(flow, at - back) > back ? flow_motion(flow, at - back) : NULL;
}

/* Follow the function's code, if it lies in the 2 * NEAR bytes that BYTES has room for.  False: it
 * does not tell. */
static bool look(int fd, uint64_t offset, bool is_exact, uint8_t *bytes, size_t near,
		 struct unwind_answer *answer)
{
	uint64_t from = offset < near ? 0 : offset - near;
	size_t at = offset - from, start = at, end;
	ssize_t got = pread(fd, bytes, 2 * near, (off_t)from);
	struct text text = {
		.bytes = bytes,
		.fd = fd,
		.offset = (uint32_t)from,
		.lead = FUNCTION_LINE,
		.has_traps = true,
	};
	const struct motion *motion = NULL;

	if (got <= (ssize_t)at || at < text.lead)
		return false;
	text.size = (size_t)got;
	if (near != NEAR)
		text_look_at_filling(&text, text.lead, text.size);
	while (start > text.lead && !text_begins(&text, start))
		start--;
	if (text_begins(&text, start) && !text_follow(&text, start, &end) && at < end)
		motion = motion_in(&text.flow, at - start);
	answer->is_sure = is_so(motion, is_exact ? taken_for(&text, at) : 0);
	answer->has_rule = motion;
	if (motion)
		answer->rule = motion_rule(motion);
	flow_done(&text.flow);
	return answer->is_sure;
}

static void find(int fd, uint64_t offset, bool is_exact, struct unwind_answer *answer)
{
	static const size_t nears[] = {NEAR, FAR, FARTHEST};
	uint8_t *bytes = offset <= UINT32_MAX ? malloc((size_t)2 * FARTHEST) : NULL;
	bool is_found = !bytes;

	for (size_t i = 0; !is_found && i < ARRAY_LENGTH(nears); i++)
		is_found = look(fd, offset, is_exact, bytes, nears[i], answer) ||
			   (i && answer->has_rule);
	free(bytes);
}

const struct unwind_answer *unwind_answer(struct unwind_answers *answers, int fd, uint32_t number,
					  uint64_t offset, bool is_exact, bool may_follow)
{
	struct key key = {{number, offset, is_exact}};
	struct unwind_answer *answer;
	uint32_t place;
	int ret = keyset_add(&answers->asked, &key, &place);

	if (ret < 0 || ARRAY_RESERVE(answers->all, answers->capacity, answers->asked.count))
		return NULL;
	answer = &answers->all[place];
	if (ret)
		*answer = (struct unwind_answer){0};
	if (!answer->is_known && may_follow) {
		answer->is_known = true;
		find(fd, offset, is_exact, answer);
	}
	return answer->is_known ? answer : NULL;
}

void unwind_answers_done(struct unwind_answers *answers)
{
	keyset_done(&answers->asked);
	free(answers->all);
	*answers = (struct unwind_answers){0};
}

bool unwind_has_framed(const struct unwind_table *table)
{
	for (size_t i = UNWIND_FIRST_RULE; i < table->rule_count; i++)
		if (table->rules[i].flags & UNWIND_FRAMED)
			return true;
	return false;
}
