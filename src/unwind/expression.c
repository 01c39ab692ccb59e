// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/expression.h"

/* DWARF's operations, as far as they are met. */
enum {
	OP_DEREFERENCE = 0x06,
	OP_AND = 0x1a,
	OP_PLUS = 0x22,
	OP_PLUS_CONSTANT = 0x23,
	OP_SHIFT_LEFT = 0x24,
	OP_NOT_LESS = 0x2a,
	OP_LITERAL_0 = 0x30,
	OP_LITERAL_31 = 0x4f,
	OP_REGISTER_0 = 0x70, /* its value + a number */
	OP_REGISTER_31 = 0x8f,
};

unsigned unwind_register(const struct unwind_machine *machine, uint64_t number)
{
	if (number == machine->sp)
		return UNWIND_SP;
	if (number == machine->bp)
		return UNWIND_BP;
	if (number == machine->bx)
		return UNWIND_BX;
	return UNWIND_OTHER +
	       (number < UINT8_MAX - UNWIND_OTHER ? (unsigned)number : UINT8_MAX - UNWIND_OTHER);
}

static bool take_operation(struct bytes *bytes, unsigned operation)
{
	return bytes_number(bytes, 1) == operation && !bytes->is_short;
}

/* A register's DWARF number and what is added to its value. */
static bool take_register(struct bytes *bytes, unsigned *ret_number, int64_t *ret_offset)
{
	uint64_t operation = bytes_number(bytes, 1);

	*ret_number = (unsigned)operation - OP_REGISTER_0;
	*ret_offset = bytes_sleb128(bytes);
	return !bytes->is_short && operation >= OP_REGISTER_0 && operation <= OP_REGISTER_31;
}

static bool take_literal(struct bytes *bytes, unsigned *ret_value)
{
	uint64_t operation = bytes_number(bytes, 1);

	*ret_value = (unsigned)operation - OP_LITERAL_0;
	return !bytes->is_short && operation >= OP_LITERAL_0 && operation <= OP_LITERAL_31;
}

/* Behind "sp + 8", a linker's entry for a PLT: "... + ((ip & 15) >= BOUND) << 3". */
static bool take_stub(const struct unwind_machine *machine, struct bytes *bytes,
		      unsigned *ret_bound)
{
	unsigned number, mask, shift;
	int64_t offset;

	return take_register(bytes, &number, &offset) && number == machine->ip && !offset &&
	       take_literal(bytes, &mask) && mask == 15 && take_operation(bytes, OP_AND) &&
	       take_literal(bytes, ret_bound) && take_operation(bytes, OP_NOT_LESS) &&
	       take_literal(bytes, &shift) && 1U << shift == machine->word_size &&
	       take_operation(bytes, OP_SHIFT_LEFT) && take_operation(bytes, OP_PLUS);
}

/* What is added to a word that was read: nothing, or a constant. */
static bool take_addend(struct bytes *bytes, int64_t *ret_addend)
{
	unsigned literal;

	*ret_addend = 0;
	if (bytes->at == bytes->end)
		return true;
	if (*bytes->at == OP_PLUS_CONSTANT) {
		bytes->at++;
		*ret_addend = (int64_t)bytes_uleb128(bytes);
		return !bytes->is_short;
	}
	if (!take_literal(bytes, &literal) || !take_operation(bytes, OP_PLUS))
		return false;
	*ret_addend = literal;
	return true;
}

bool expression_cfa(const struct unwind_machine *machine, struct bytes expression,
		    struct unwind_rule *rule)
{
	struct bytes stub;
	unsigned number, bound;
	int64_t offset, addend;

	if (!take_register(&expression, &number, &offset) || offset != (int32_t)offset)
		return false;
	rule->cfa_register = (uint8_t)unwind_register(machine, number);
	rule->cfa_offset = (int32_t)offset;
	stub = expression;
	if (take_stub(machine, &stub, &bound) && stub.at == stub.end) {
		rule->flags |= UNWIND_STUB;
		rule->addend = (int16_t)bound;
		return true;
	}
	if (!take_operation(&expression, OP_DEREFERENCE) || !take_addend(&expression, &addend) ||
	    expression.at != expression.end || addend != (int16_t)addend)
		return false;
	rule->flags |= UNWIND_DEREFERENCE;
	rule->addend = (int16_t)addend;
	return true;
}

bool expression_place(const struct unwind_machine *machine, struct bytes expression,
		      struct unwind_place *place)
{
	unsigned number, from;
	int64_t offset;

	if (!take_register(&expression, &number, &offset) || expression.at != expression.end ||
	    offset != (int16_t)offset)
		return false;
	from = unwind_register(machine, number);
	if (from != UNWIND_SP && from != UNWIND_BP)
		return false;
	place->where = from == UNWIND_SP ? UNWIND_AT_SP : UNWIND_AT_BP;
	place->offset = (int16_t)offset;
	return true;
}
