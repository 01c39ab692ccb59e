// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/jump_table.h"

#include "unwind/instruction.h"

#include <string.h>

enum { LONGEST = 15, LEA = 7 }; /* bytes of an instruction */

/* From a jump back. */
struct reverse {
	const uint8_t *bytes, *lengths;
	size_t at;
	struct instruction it;
};

static bool go_back(struct reverse *reverse)
{
	for (size_t length = 1; length <= LONGEST && length <= reverse->at; length++) {
		if (reverse->lengths[reverse->at - length] != length)
			continue;
		reverse->at -= length;
		return instruction_read(reverse->bytes + reverse->at, length, &reverse->it);
	}
	return false;
}

/* To the instruction before that writes REGISTER. */
static bool find_writer(struct reverse *reverse, unsigned which)
{
	while (go_back(reverse))
		if (instruction_writes(&reverse->it, which))
			return true;
	return false;
}

static bool is_between_registers(const struct instruction *it, unsigned map, unsigned opcode)
{
	return it->map == map && it->opcode == opcode && it->has_modrm && !it->is_memory;
}

/* `add OTHER, RESULT` */
static bool is_add(const struct instruction *it, unsigned *ret_other)
{
	if (!it->is_wide ||
	    (!is_between_registers(it, 0, 0x01) && !is_between_registers(it, 0, 0x03)))
		return false;
	*ret_other = it->opcode == 0x01 ? it->reg : it->rm;
	return true;
}

/* `movslq (BASE,INDEX,4), RESULT` */
static bool is_load(const uint8_t *bytes, unsigned *ret_base, unsigned *ret_index)
{
	bool has_zero = (bytes[2] & 0xc7) == 0x44 && !bytes[4];

	if ((bytes[0] & 0xf8) != 0x48 || bytes[1] != 0x63 || (bytes[3] & 0xc0) != 0x80 ||
	    (!has_zero && ((bytes[2] & 0xc7) != 0x04 || (bytes[3] & 7) == REGISTER_BP)))
		return false;
	*ret_base = (bytes[3] & 7u) | (bytes[0] & 1u) << 3;
	*ret_index = (bytes[3] >> 3 & 7u) | (bytes[0] & 2u) << 2;
	return *ret_index != REGISTER_SP;
}

/* Where the table in REGISTER is, by the last instruction before that loads it. */
static bool find_address(const struct reverse *reverse, unsigned which, int64_t *ret)
{
	for (size_t at = reverse->at; at-- > 0;) {
		const uint8_t *bytes = reverse->bytes + at;
		unsigned loaded = (bytes[2] >> 3 & 7u) | (bytes[0] & 4u) << 1;
		int32_t distance;

		if (reverse->lengths[at] != LEA || (bytes[0] & 0xfb) != 0x48 || bytes[1] != 0x8d ||
		    (bytes[2] & 0xc7) != 0x05 || loaded != which)
			continue;
		memcpy(&distance, bytes + 3, sizeof(distance));
		*ret = (int64_t)(at + LEA) + distance;
		return true;
	}
	return false;
}

/* Whether IT goes elsewhere for what is above a number (1), or is not below it (0). */
static int leaves_above(const struct instruction *it)
{
	if (it->map == 1 ? (it->opcode & 0xf0) != 0x80 : it->map || (it->opcode & 0xf0) != 0x70)
		return -1;
	return (it->opcode & 0xf) == 0x7 ? 1 : (it->opcode & 0xf) == 0x3 ? 0 : -1;
}

/* Whether IT compares a register with a number. */
static bool compares(const struct instruction *it, unsigned *ret_which, int64_t *ret_number)
{
	bool is_byte = it->opcode == 0x3c || it->opcode == 0x80;
	bool is_first = it->opcode == 0x3c || it->opcode == 0x3d;

	*ret_which = is_first ? 0 : it->rm;
	*ret_number = is_byte ? (uint8_t)it->immediate : it->immediate;
	if (it->map)
		return false;
	return is_first || ((it->opcode == 0x80 || it->opcode == 0x81 || it->opcode == 0x83) &&
			    it->sub == 7 && !it->is_memory);
}

/* What a register is copied from, whole or with zeros before it. */
static bool is_copy(const struct instruction *it, unsigned *ret_from)
{
	*ret_from = is_between_registers(it, 0, 0x89) ? it->reg : it->rm;
	return is_between_registers(it, 0, 0x89) || is_between_registers(it, 0, 0x8b) ||
	       is_between_registers(it, 1, 0xb6) || is_between_registers(it, 1, 0xb7);
}

/* Whether INDEX has been copied from WHICH before, and neither has changed since. */
static bool was_copied(struct reverse *reverse, unsigned index, unsigned which)
{
	unsigned from;

	while (go_back(reverse)) {
		if (instruction_writes(&reverse->it, index))
			return is_copy(&reverse->it, &from) && from == which;
		if (instruction_writes(&reverse->it, which))
			return false;
	}
	return false;
}

/* How many entries can be asked for by INDEX. */
static bool find_count(struct reverse *reverse, unsigned index, uint32_t *ret)
{
	unsigned which;
	int above = -1;
	int64_t last;

	while (go_back(reverse)) {
		if (above < 0)
			above = leaves_above(&reverse->it);
		if (above >= 0 && compares(&reverse->it, &which, &last)) {
			*ret = (uint32_t)(last + above);
			return last >= 0 && last < INT32_MAX &&
			       (which == index || was_copied(reverse, index, which));
		}
		if (instruction_writes(&reverse->it, index) && !is_copy(&reverse->it, &index))
			return false;
	}
	return false;
}

bool jump_table_find(const uint8_t *bytes, const uint8_t *lengths, size_t at,
		     struct jump_table *ret)
{
	struct reverse reverse = {.bytes = bytes, .lengths = lengths, .at = at};
	unsigned target, other, base, index;

	if (!instruction_read(bytes + at, lengths[at], &reverse.it) || reverse.it.is_memory)
		return false;
	target = reverse.it.rm;
	if (!find_writer(&reverse, target) || !is_add(&reverse.it, &other))
		return false;
	/* Either of the two that are added was loaded; the other one is where the table begins. */
	while (go_back(&reverse)) {
		if (!instruction_writes(&reverse.it, target) &&
		    !instruction_writes(&reverse.it, other))
			continue;
		if (reverse.it.length < 4 || !is_load(bytes + reverse.at, &base, &index) ||
		    (reverse.it.reg == target ? other : target) != base)
			return false;
		return find_address(&reverse, base, &ret->at) &&
		       find_count(&reverse, index, &ret->count);
	}
	return false;
}
