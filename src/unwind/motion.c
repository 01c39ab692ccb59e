// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/motion.h"

enum {
	WORD = 8,
	LARGEST = 32000, /* distance that a motion can hold */
};

const struct motion motion_at_entry = {WORD, MOTION_UNKNOWN, MOTION_KEPT, -WORD, 0, 0};

static const struct motion lost = {MOTION_UNKNOWN, MOTION_UNKNOWN, MOTION_UNKNOWN, 0, 0, 0};

bool motion_is_lost(const struct motion *motion)
{
	return motion->taken || (motion->sp == MOTION_UNKNOWN && motion->bp == MOTION_UNKNOWN);
}

bool motion_is_entry(const struct motion *motion)
{
	return !motion->taken && motion->sp == -motion->call && motion->bp == MOTION_UNKNOWN &&
	       motion->saved == MOTION_KEPT;
}

static int16_t distance(int64_t value)
{
	return value > -LARGEST && value < LARGEST ? (int16_t)value : MOTION_UNKNOWN;
}

/* BASE less BY. */
static int16_t moved(int16_t base, int64_t by)
{
	return base == MOTION_UNKNOWN ? base : distance(base - by);
}

static bool is_saved(const struct motion *motion)
{
	return motion->saved != MOTION_KEPT && motion->saved != MOTION_UNKNOWN;
}

/* The stack pointer is SP from the CFA.  What is above it nobody keeps. */
static struct motion with_sp(struct motion motion, int16_t sp)
{
	motion.sp = sp;
	if (sp == MOTION_UNKNOWN)
		return motion;
	if (sp < -motion.call)
		return lost;
	if (is_saved(&motion) && sp < -motion.saved)
		motion.saved = MOTION_UNKNOWN;
	return motion;
}

/* %rbp is BP from the CFA, or something else; the caller's is where it was saved, if it was. */
static struct motion with_bp(struct motion motion, int16_t bp)
{
	motion.bp = bp;
	if (motion.saved == MOTION_KEPT)
		motion.saved = MOTION_UNKNOWN;
	return motion;
}

/* %rbp is loaded from the word that lies AT below the CFA. */
static struct motion restored(struct motion motion, int16_t at)
{
	if (!is_saved(&motion) || at != -motion.saved)
		return with_bp(motion, MOTION_UNKNOWN);
	motion.bp = MOTION_UNKNOWN;
	motion.saved = MOTION_KEPT;
	return motion;
}

static struct motion pushed(struct motion motion, bool is_bp)
{
	motion.sp = moved(motion.sp, -WORD);
	if (is_bp && motion.saved == MOTION_KEPT && motion.sp != MOTION_UNKNOWN)
		motion.saved = (int16_t)-motion.sp;
	return motion;
}

static struct motion popped(struct motion motion, bool is_bp)
{
	int16_t sp = motion.sp;

	if (is_bp)
		motion = restored(motion, sp);
	return with_sp(motion, moved(sp, WORD));
}

/* Where memory is that INSTRUCTION names, less than the CFA by that. */
static int16_t below(const struct motion *motion, const struct instruction *it)
{
	if (it->base == REGISTER_SP)
		return moved(motion->sp, it->displacement);
	return it->base == REGISTER_BP ? moved(motion->bp, it->displacement) : MOTION_UNKNOWN;
}

/* Whether the SIZE bytes that lie BELOW the CFA have a part of the word at SLOT. */
static bool hits(int16_t below, unsigned size, int16_t slot)
{
	return -below < slot + WORD && (int)size - below > slot;
}

/* Whether INSTRUCTION may overwrite what leads to the caller. */
static bool spoils(const struct motion *motion, const struct instruction *it)
{
	unsigned size = instruction_stores(it);
	int16_t at = size ? below(motion, it) : MOTION_UNKNOWN;

	if (at == MOTION_UNKNOWN)
		return false;
	return hits(at, size, motion->call) || (is_saved(motion) && hits(at, size, motion->saved));
}

static bool is_between(const struct instruction *it, unsigned to, unsigned from)
{
	return !it->map && it->is_wide && it->has_modrm && !it->is_memory &&
	       ((it->opcode == 0x89 && it->rm == to && it->reg == from) ||
		(it->opcode == 0x8b && it->reg == to && it->rm == from));
}

/* What is pushed or popped is a word. */
static bool moves_word(const struct instruction *it)
{
	return !it->map && !it->is_short;
}

static bool is_push(const struct instruction *it)
{
	return moves_word(it) &&
	       ((it->opcode & 0xf8) == 0x50 || it->opcode == 0x68 || it->opcode == 0x6a ||
		it->opcode == 0x9c || (it->opcode == 0xff && it->sub == 6));
}

static bool is_pop(const struct instruction *it)
{
	return moves_word(it) &&
	       (((it->opcode & 0xf8) == 0x58 && it->low != REGISTER_SP) || it->opcode == 0x9d ||
		(it->opcode == 0x8f && !it->is_memory && it->rm > REGISTER_BP));
}

bool motion_calls(const struct instruction *it)
{
	return !it->map && (it->opcode == 0xe8 || (it->opcode == 0xff && it->sub == 2));
}

bool motion_takes_down(const struct instruction *it)
{
	return (!it->map && it->opcode == 0xc9) || is_between(it, REGISTER_SP, REGISTER_BP);
}

/* What moves %rsp without saying so in an operand, and is none of those above. */
static bool hides_motion(const struct instruction *it)
{
	uint8_t opcode = it->opcode;

	if (it->map)
		return it->map == 1 &&
		       (opcode == 0xa0 || opcode == 0xa1 || opcode == 0xa8 || opcode == 0xa9);
	return (opcode & 0xf0) == 0x50 || opcode == 0x68 || opcode == 0x6a || opcode == 0x8f ||
	       opcode == 0x9c || opcode == 0x9d || opcode == 0xc8 || opcode == 0xc9 ||
	       (opcode == 0xff && it->sub == 6) || (opcode == 0xe8 && !it->immediate);
}

static struct motion after_leave(struct motion motion)
{
	motion.sp = motion.bp;
	return popped(motion, true);
}

/* Those that write %rsp or %rbp as an operand. */
static struct motion after_write(struct motion motion, const struct instruction *it)
{
	bool is_plain = !it->map && it->is_wide;

	if (is_between(it, REGISTER_BP, REGISTER_SP))
		return with_bp(motion, motion.sp);
	if (is_between(it, REGISTER_SP, REGISTER_BP))
		return with_sp(motion, motion.bp);
	if (is_plain && it->opcode == 0x8d)
		return it->reg == REGISTER_SP ? with_sp(motion, below(&motion, it))
					      : with_bp(motion, below(&motion, it));
	if (is_plain && it->opcode == 0x8b && it->reg == REGISTER_BP && it->is_memory)
		return restored(motion, below(&motion, it));
	if (is_plain && (it->opcode == 0x81 || it->opcode == 0x83) && it->rm == REGISTER_SP &&
	    !it->is_memory && (it->sub == 0 || it->sub == 5))
		return with_sp(motion, moved(motion.sp, it->sub ? -it->immediate : it->immediate));
	if (instruction_writes(it, REGISTER_SP))
		motion.sp = MOTION_UNKNOWN;
	if (instruction_writes(it, REGISTER_BP))
		motion = with_bp(motion, MOTION_UNKNOWN);
	return motion;
}

/* Whether INSTRUCTION takes where the call returns to off the stack, to put something below it. */
static bool takes_call(const struct motion *motion, const struct instruction *it)
{
	return is_pop(it) && (it->opcode & 0xf8) == 0x58 && it->low < REGISTER_SP &&
	       motion_is_entry(motion);
}

/* What was taken is in a register, until that is pushed. */
static struct motion after_taking(struct motion motion, const struct instruction *it)
{
	unsigned which = motion.taken - 1;

	if (is_push(it)) {
		motion = pushed(motion, false);
		if ((it->opcode & 0xf8) != 0x50 || it->low != which || motion.sp == MOTION_UNKNOWN)
			return motion;
		motion.call = (int16_t)-motion.sp;
		motion.taken = 0;
		return motion;
	}
	if (is_pop(it) || hides_motion(it) || motion_calls(it) || instruction_writes(it, which) ||
	    instruction_writes(it, REGISTER_SP) || instruction_writes(it, REGISTER_BP))
		return lost;
	return motion;
}

static struct motion moved_by(struct motion before, const struct instruction *it,
			      bool calls_keep_sp)
{
	if (before.taken)
		return after_taking(before, it);
	if (spoils(&before, it))
		return lost;
	if (takes_call(&before, it)) {
		before.taken = it->low + 1;
		before.sp = moved(before.sp, WORD);
		return before;
	}
	if (is_push(it))
		return pushed(before, (it->opcode & 0xf8) == 0x50 && it->low == REGISTER_BP);
	if (is_pop(it))
		return popped(before, (it->opcode & 0xf8) == 0x58 && it->low == REGISTER_BP);
	if (!it->map && it->opcode == 0xc9 && !it->is_short)
		return after_leave(before);
	if (hides_motion(it))
		return lost;
	if (motion_calls(it)) {
		if (!calls_keep_sp)
			before.sp = MOTION_UNKNOWN;
		return before;
	}
	if (instruction_writes(it, REGISTER_SP) || instruction_writes(it, REGISTER_BP))
		return after_write(before, it);
	return before;
}

struct motion motion_after(struct motion before, const struct instruction *it, bool calls_keep_sp)
{
	struct motion after = moved_by(before, it, calls_keep_sp);

	return motion_is_lost(&after) && !after.taken ? lost : after;
}

bool motion_is_same(const struct motion *a, const struct motion *b)
{
	return a == b || (a && b && a->sp == b->sp && a->bp == b->bp && a->saved == b->saved &&
			  a->call == b->call && a->taken == b->taken);
}

bool motion_meet(struct motion *to, const struct motion *from)
{
	struct motion met = *to;

	if (!to->reached) {
		*to = *from;
		return true;
	}
	if (met.taken != from->taken || met.call != from->call) {
		met = lost;
		met.reached = to->reached;
	}
	if (met.sp != from->sp)
		met.sp = MOTION_UNKNOWN;
	if (met.bp != from->bp)
		met.bp = MOTION_UNKNOWN;
	if (met.saved != from->saved)
		met.saved = MOTION_UNKNOWN;
	if (motion_is_same(&met, to))
		return false;
	*to = met;
	return true;
}

struct unwind_rule motion_rule(const struct motion *motion)
{
	bool is_framed = motion->bp != MOTION_UNKNOWN;
	uint16_t where = motion->saved == MOTION_KEPT	   ? UNWIND_SAME
			 : motion->saved == MOTION_UNKNOWN ? UNWIND_LOST
							   : UNWIND_AT_CFA;

	return (struct unwind_rule){
		.cfa_register = is_framed ? UNWIND_BP : UNWIND_SP,
		.cfa_offset = is_framed ? motion->bp : motion->sp,
		.saved = {{motion->call, UNWIND_AT_CFA},
			  {where == UNWIND_AT_CFA ? motion->saved : 0, where},
			  {0, UNWIND_LOST}},
	};
}
