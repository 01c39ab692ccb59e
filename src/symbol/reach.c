// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/reach.h"

#include "base/array.h"
#include "symbol/disasm.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

enum mark {
	MARK_NONE,
	MARK_INSIDE, /* reached, not an instruction's first byte */
	MARK_FIRST,
};

struct walk {
	struct reach *reach;
	uint64_t *targets; /* of jumps and branches, still to be followed */
	size_t count, capacity;
	size_t *limit;
};

/* The reader of RISC-V may be a process for every run of instructions, and jumps make many. */
bool reach_can(int machine)
{
	return machine != EM_RISCV && !disasm_why_not(machine);
}

static int add_target(struct walk *walk, uint64_t target)
{
	if (target < walk->reach->start || target >= walk->reach->end)
		return 0;
	if (ARRAY_RESERVE(walk->targets, walk->capacity, walk->count + 1))
		return -ENOMEM;
	walk->targets[walk->count++] = target;
	return 0;
}

/* -ECANCELED ends a run: control does not get below INSTRUCTION, or has been there. */
static int take(void *context, const struct instruction *instruction)
{
	struct walk *walk = context;
	struct reach *reach = walk->reach;
	uint8_t *marks = reach->marks + (instruction->address - reach->start);

	if (marks[0] == MARK_FIRST || !*walk->limit)
		return -ECANCELED;
	--*walk->limit;
	for (size_t i = 1; i < instruction->size; i++)
		if (marks[i] == MARK_NONE)
			marks[i] = MARK_INSIDE;
	marks[0] = MARK_FIRST;
	if (instruction->address + instruction->size > reach->last)
		reach->last = instruction->address + instruction->size;
	if (instruction->has_target && instruction->flow != FLOW_CALL &&
	    add_target(walk, instruction->target))
		return -ENOMEM;
	return instruction->flow == FLOW_JUMP || instruction->flow == FLOW_END ? -ECANCELED : 0;
}

static int follow(struct walk *walk, int machine, const uint8_t *bytes)
{
	const struct reach *reach = walk->reach;
	int ret = add_target(walk, reach->start);

	while (!ret && walk->count && *walk->limit) {
		uint64_t target = walk->targets[--walk->count];
		size_t offset = target - reach->start;

		if (reach->marks[offset] == MARK_FIRST)
			continue;
		ret = disasm_run(machine, bytes + offset, reach->end - target, target, take, walk);
		if (ret == -ECANCELED)
			ret = 0;
	}
	return ret;
}

int reach_follow(struct reach *reach, int machine, const uint8_t *bytes, uint64_t start,
		 uint64_t end, size_t *limit)
{
	struct walk walk = {.reach = reach, .limit = limit};
	int ret;

	*reach = (struct reach){.start = start, .end = end, .last = start};
	reach->marks = calloc(1, end - start + 1);
	if (!reach->marks)
		return -ENOMEM;
	ret = follow(&walk, machine, bytes);
	free(walk.targets);
	return ret;
}

bool reach_has(const struct reach *reach, uint64_t address)
{
	return address >= reach->start && address < reach->end &&
	       reach->marks[address - reach->start] != MARK_NONE;
}

void reach_done(struct reach *reach)
{
	free(reach->marks);
}
