// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/cfi.h"

#include "unwind/expression.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* DWARF's call frame instructions.  The first three hold a number in their low six bits. */
enum {
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_HIGH_BITS = 0xc0,
	CFA_NOTHING = 0x00,
	CFA_ADVANCE_1 = 0x02,
	CFA_ADVANCE_2 = 0x03,
	CFA_ADVANCE_4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RECALL = 0x0b,
	CFA_DEFINE = 0x0c,
	CFA_DEFINE_REGISTER = 0x0d,
	CFA_DEFINE_OFFSET = 0x0e,
	CFA_DEFINE_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_SIGNED = 0x11,
	CFA_DEFINE_SIGNED = 0x12,
	CFA_DEFINE_OFFSET_SIGNED = 0x13,
	CFA_VALUE_OFFSET = 0x14,
	CFA_VALUE_OFFSET_SIGNED = 0x15,
	CFA_VALUE_EXPRESSION = 0x16,
	CFA_GNU_ARGUMENTS = 0x2e,
	CFA_GNU_OFFSET_NEGATIVE = 0x2f,
};

/* How deep CFA_REMEMBER nests; compilers go one deep. */
enum { DEPTH = 8 };

/* Where no CFA is known: before its first definition, or by an expression that is not understood.
 */
enum { CFA_UNKNOWN = UINT8_MAX };

struct machine_state {
	const struct unwind_machine *machine;
	const struct unwind_common *common;
	uint64_t address;
	struct unwind_rule rule;    /* now */
	struct unwind_rule initial; /* behind the common entry's program */
	struct unwind_rule remembered[DEPTH];
	unsigned depth;
	unwind_row_fn *take;
	void *context;
	struct unwind_rule row; /* the rule that was given out last */
	/* The caller's stack pointer is not the CFA but was saved, as longjmp(3) has it. */
	bool is_elsewhere;
	bool has_row;
};

const struct unwind_machine *unwind_machine(unsigned elf_machine)
{
	static const struct unwind_machine x86_64 = {8, 7, 6, 3, 16};
	static const struct unwind_machine i386 = {4, 4, 5, 3, 8};

	return elf_machine == EM_X86_64 ? &x86_64 : elf_machine == EM_386 ? &i386 : NULL;
}

/* Which of the registers that are followed number REGISTER is; NULL where it is none of them. */
static struct unwind_place *place_of(struct machine_state *state, uint64_t number)
{
	const struct unwind_machine *machine = state->machine;
	struct unwind_place *saved = state->rule.saved;

	if (number == state->common->return_register)
		return &saved[UNWIND_RETURN];
	if (number == machine->bp)
		return &saved[UNWIND_SAVED_BP];
	return number == machine->bx ? &saved[UNWIND_SAVED_BX] : NULL;
}

/* A return address that is undefined says that there is no caller (UNWIND_LOST); one that was saved
 * in a way that no rule has, says nothing (UNWIND_SAME).  Other registers are lost both ways. */
static void not_understood(struct unwind_place *place, const struct unwind_rule *rule)
{
	if (place)
		*place = (struct unwind_place){
			.where = place == &rule->saved[UNWIND_RETURN] ? UNWIND_SAME : UNWIND_LOST};
}

static void set_place(struct machine_state *state, uint64_t number, enum unwind_where where,
		      int64_t offset)
{
	struct unwind_place *place = place_of(state, number);

	if (number == state->machine->sp)
		state->is_elsewhere = true;
	if (offset != (int16_t)offset)
		not_understood(place, &state->rule);
	else if (place)
		*place = (struct unwind_place){(int16_t)offset, (uint16_t)where};
}

static int64_t scaled(const struct machine_state *state, uint64_t factor)
{
	return (int64_t)(factor * (uint64_t)state->common->data_align);
}

static void restore(struct machine_state *state, uint64_t number)
{
	struct unwind_place *place = place_of(state, number);

	if (place)
		*place = state->initial.saved[place - state->rule.saved];
}

static void define(struct machine_state *state, uint64_t number, int64_t offset)
{
	struct unwind_rule *rule = &state->rule;

	rule->flags &= UNWIND_SIGNAL;
	rule->addend = 0;
	rule->cfa_offset = (int32_t)offset;
	rule->cfa_register = offset == (int32_t)offset
				     ? (uint8_t)unwind_register(state->machine, number)
				     : (uint8_t)CFA_UNKNOWN;
}

static void define_offset(struct machine_state *state, int64_t offset)
{
	state->rule.cfa_offset = (int32_t)offset;
	if (offset != (int32_t)offset)
		state->rule.cfa_register = CFA_UNKNOWN;
}

static void define_expression(struct machine_state *state, struct bytes expression)
{
	define(state, state->machine->sp, 0);
	if (!expression_cfa(state->machine, expression, &state->rule))
		state->rule.cfa_register = CFA_UNKNOWN;
}

static void place_by_expression(struct machine_state *state, uint64_t number,
				struct bytes expression)
{
	struct unwind_place *place = place_of(state, number);

	if (place && !expression_place(state->machine, expression, place))
		not_understood(place, &state->rule);
}

static int give_row(struct machine_state *state)
{
	struct unwind_rule rule = state->rule;

	if (state->is_elsewhere || rule.saved[UNWIND_RETURN].where == UNWIND_SAME ||
	    (rule.cfa_register == CFA_UNKNOWN && rule.saved[UNWIND_RETURN].where != UNWIND_LOST))
		rule = (struct unwind_rule){0};
	if (state->has_row && !memcmp(&rule, &state->row, sizeof(rule)))
		return 0;
	state->row = rule;
	state->has_row = true;
	return state->take(state->context, state->address, &rule);
}

/* The row up to the new address is whole. */
static int advance(struct machine_state *state, uint64_t count)
{
	int ret = state->take && count ? give_row(state) : 0;

	state->address += count * state->common->code_align;
	return ret;
}

/* An instruction that says where register NUMBER was saved; false where OPERATION is none of them.
 */
static bool save(struct machine_state *state, struct bytes *bytes, uint64_t operation)
{
	uint64_t number = bytes_uleb128(bytes);

	switch (operation) {
	case CFA_OFFSET_EXTENDED:
		set_place(state, number, UNWIND_AT_CFA, scaled(state, bytes_uleb128(bytes)));
		return true;
	case CFA_OFFSET_SIGNED:
		set_place(state, number, UNWIND_AT_CFA,
			  scaled(state, (uint64_t)bytes_sleb128(bytes)));
		return true;
	case CFA_GNU_OFFSET_NEGATIVE:
		set_place(state, number, UNWIND_AT_CFA, -scaled(state, bytes_uleb128(bytes)));
		return true;
	case CFA_VALUE_OFFSET:
	case CFA_VALUE_OFFSET_SIGNED:
		bytes_uleb128(bytes);
		not_understood(place_of(state, number), &state->rule);
		return true;
	case CFA_VALUE_EXPRESSION:
		bytes_take(bytes, bytes_uleb128(bytes));
		not_understood(place_of(state, number), &state->rule);
		return true;
	case CFA_RESTORE_EXTENDED:
		restore(state, number);
		return true;
	case CFA_UNDEFINED:
		set_place(state, number, UNWIND_LOST, 0);
		return true;
	case CFA_SAME_VALUE:
		set_place(state, number, UNWIND_SAME, 0);
		return true;
	case CFA_REGISTER:
		set_place(state, number, UNWIND_IN_REGISTER,
			  unwind_register(state->machine, bytes_uleb128(bytes)));
		return true;
	case CFA_EXPRESSION:
		place_by_expression(state, number, bytes_take(bytes, bytes_uleb128(bytes)));
		return true;
	default:
		return false;
	}
}

/* An instruction that says what the CFA is; false where OPERATION is none of them. */
static bool define_cfa(struct machine_state *state, struct bytes *bytes, uint64_t operation)
{
	uint64_t number;

	switch (operation) {
	case CFA_DEFINE:
		number = bytes_uleb128(bytes);
		define(state, number, (int64_t)bytes_uleb128(bytes));
		return true;
	case CFA_DEFINE_SIGNED:
		number = bytes_uleb128(bytes);
		define(state, number, scaled(state, (uint64_t)bytes_sleb128(bytes)));
		return true;
	case CFA_DEFINE_REGISTER:
		define(state, bytes_uleb128(bytes), state->rule.cfa_offset);
		return true;
	case CFA_DEFINE_OFFSET:
		define_offset(state, (int64_t)bytes_uleb128(bytes));
		return true;
	case CFA_DEFINE_OFFSET_SIGNED:
		define_offset(state, scaled(state, (uint64_t)bytes_sleb128(bytes)));
		return true;
	case CFA_DEFINE_EXPRESSION:
		define_expression(state, bytes_take(bytes, bytes_uleb128(bytes)));
		return true;
	default:
		return false;
	}
}

static bool remember(struct machine_state *state)
{
	if (state->depth == DEPTH)
		return false;
	state->remembered[state->depth++] = state->rule;
	return true;
}

static bool recall(struct machine_state *state)
{
	if (!state->depth)
		return false;
	state->rule = state->remembered[--state->depth];
	return true;
}

/* An instruction of one byte, or one that moves the address.  Returns 1 where OPERATION is none of
 * them, -EINVAL where what follows means nothing, or what TAKE did. */
static int move(struct machine_state *state, struct bytes *bytes, uint64_t operation)
{
	switch (operation) {
	case CFA_NOTHING:
		return 0;
	case CFA_ADVANCE_1:
		return advance(state, bytes_number(bytes, 1));
	case CFA_ADVANCE_2:
		return advance(state, bytes_number(bytes, 2));
	case CFA_ADVANCE_4:
		return advance(state, bytes_number(bytes, 4));
	case CFA_REMEMBER:
		return remember(state) ? 0 : -EINVAL;
	case CFA_RECALL:
		return recall(state) ? 0 : -EINVAL;
	case CFA_GNU_ARGUMENTS:
		bytes_uleb128(bytes);
		return 0;
	default:
		return 1;
	}
}

static int step(struct machine_state *state, struct bytes *bytes)
{
	uint64_t operation = bytes_number(bytes, 1), low = operation & ~(uint64_t)CFA_HIGH_BITS;
	int ret;

	switch (operation & CFA_HIGH_BITS) {
	case CFA_ADVANCE:
		return advance(state, low);
	case CFA_OFFSET:
		set_place(state, low, UNWIND_AT_CFA, scaled(state, bytes_uleb128(bytes)));
		return 0;
	case CFA_RESTORE:
		restore(state, low);
		return 0;
	default:
		ret = move(state, bytes, operation);
		if (ret <= 0)
			return ret;
		return define_cfa(state, bytes, operation) || save(state, bytes, operation)
			       ? 0
			       : -EINVAL;
	}
}

/* Run PROGRAM.  Returns 0, what TAKE returned, or -EINVAL where it is not understood, which ends
 * it: what follows then has no rule. */
static int run(struct machine_state *state, struct bytes program)
{
	int ret = 0;

	while (!ret && program.at < program.end)
		ret = step(state, &program);
	return ret || !program.is_short ? ret : -EINVAL;
}

int unwind_rows(const struct unwind_machine *machine, const struct unwind_entry *entry,
		unwind_row_fn *take, void *context)
{
	struct machine_state state = {.machine = machine,
				      .common = &entry->common,
				      .rule.cfa_register = CFA_UNKNOWN,
				      .rule.flags = entry->common.is_signal ? UNWIND_SIGNAL : 0,
				      .context = context};
	int ret = run(&state, entry->common.program);

	state.initial = state.rule;
	state.address = entry->start;
	state.take = take;
	if (!ret)
		ret = run(&state, entry->program);
	if (ret == -EINVAL)
		state.rule.cfa_register = CFA_UNKNOWN;
	return ret && ret != -EINVAL ? ret : give_row(&state);
}
