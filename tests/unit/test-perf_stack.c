// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"

#include <string.h>

/* Samples as the kernel writes them, of a process whose code is of no file and keeps frame
 * pointers: the stack is all that callers are known by. */

#define PID 77
#define CODE UINT64_C(0x400000)
#define STACK UINT64_C(0x7fff0000)
#define KERNEL UINT64_C(0xffffffff81000000)

enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8, WORDS = R8 + 8 };
enum { PIECE = 16 }; /* words of stack in a sample */

struct sample {
	struct perf_event_header header;
	uint64_t caller_count, callers[5];
	uint64_t abi, registers[WORDS];
	uint64_t room, piece[PIECE], size;
};

struct bench {
	struct perf_processes processes;
	struct perf_stacks stacks;
	struct sample sample;
	bool in_kernel, hide_kernel;
};

static void begin(struct bench *bench, uint32_t most, size_t context_limit)
{
	struct perf_mapped nothing = {.path = ""};
	struct engine_options options = {.max_stack = most,
					 .max_contexts = (uint32_t)context_limit};
	struct perf_process *process;

	*bench = (struct bench){
		.stacks.has_callers = true,
		.sample = {.header.size = sizeof(bench->sample),
			   .caller_count = ARRAY_LENGTH(bench->sample.callers),
			   .callers = {(uint64_t)PERF_CONTEXT_KERNEL, KERNEL, KERNEL + 1,
				       KERNEL + 2, KERNEL + 2},
			   .abi = PERF_SAMPLE_REGS_ABI_64,
			   .room = sizeof(bench->sample.piece),
			   .size = sizeof(bench->sample.piece)},
	};
	bench->sample.registers[IP] = CODE;
	bench->sample.registers[SP] = bench->sample.registers[BP] = STACK;
	assert_int_equal(perf_stacks_init(&bench->stacks, &options), 0);
	process = perf_process_add(&bench->processes, PID);
	assert_non_null(process);
	perf_process_map(&bench->processes, process, CODE, 0x1000, 0, &nothing);
}

static void end(struct bench *bench)
{
	perf_stacks_done(&bench->stacks);
	perf_processes_done(&bench->processes);
}

/* The frame at word AT of the stack: its caller's is at word NEXT, and goes on at ADDRESS. */
static void put_frame(struct bench *bench, unsigned at, unsigned next, uint64_t address)
{
	bench->sample.piece[at] = STACK + 8 * (uint64_t)next;
	bench->sample.piece[at + 1] = address;
}

static struct histogram_cell walk(struct bench *bench)
{
	struct perf_stack stack = perf_stack_of(&bench->sample.header, sizeof(bench->sample.header),
						bench->stacks.has_callers);
	struct perf_stack_owner owner = {
		.processes = &bench->processes,
		.process = perf_process_find(&bench->processes, PID),
		.task = 5,
		.in_kernel = bench->in_kernel,
		.hide_kernel = bench->hide_kernel,
	};
	struct histogram_cell cell = {.context = 99};

	perf_stacks_walk(&bench->stacks, &stack, &owner, &cell);
	return cell;
}

/* The context NUMBER is at ADDRESS; returns its caller's number. */
static uint32_t expect(const struct bench *bench, uint32_t number, uint64_t address,
		       bool interrupted, bool folded)
{
	const struct histogram_context *context = &bench->stacks.contexts.contexts[number - 1];

	assert_true(number && number <= bench->stacks.contexts.count);
	assert_true(context->parent < number);
	assert_int_equal(context->address, address);
	assert_int_equal(context->interrupted, interrupted);
	assert_int_equal(context->folded, folded);
	assert_int_equal(context->space, address >= KERNEL ? CELL_KERNEL : CELL_ANONYMOUS);
	assert_int_equal(context->task, address >= KERNEL ? HISTOGRAM_NO_TASK : 5);
	return context->parent;
}

/* Three calls, of which two are one; code without a table does not say where it all began. */
static void callers_are_found_outermost_first(void **state)
{
	struct histogram_cell cell, again;
	struct bench bench;
	uint32_t number;

	begin(&bench, 8, 64);
	put_frame(&bench, 0, 2, CODE + 0x10);
	put_frame(&bench, 2, 4, CODE + 0x20);
	put_frame(&bench, 4, 6, CODE + 0x20);
	put_frame(&bench, 6, 8, 0);
	cell = walk(&bench);
	assert_int_equal(cell.stack_end, STACK_NO_RULE);
	number = expect(&bench, cell.context, CODE + 0x10, false, false);
	number = expect(&bench, number, CODE + 0x20, false, true);
	assert_int_equal(number, 0);
	again = walk(&bench);
	assert_int_equal(again.context, cell.context);
	assert_int_equal(bench.stacks.contexts.count, 2);
	end(&bench);
}

/* The kernel's own callers come below what it interrupted. */
static void the_kernel_was_entered_from_somewhere(void **state)
{
	struct histogram_cell cell;
	struct bench bench;
	uint32_t number;

	begin(&bench, 8, 64);
	bench.in_kernel = true;
	put_frame(&bench, 0, 2, CODE + 0x10);
	cell = walk(&bench);
	number = expect(&bench, cell.context, KERNEL + 1, false, false);
	number = expect(&bench, number, KERNEL + 2, false, true);
	number = expect(&bench, number, CODE, true, false);
	number = expect(&bench, number, CODE + 0x10, false, false);
	assert_int_equal(number, 0);
	bench.hide_kernel = true;
	cell = walk(&bench);
	expect(&bench, cell.context, CODE, true, false);
	/* What is left of a process that ends. */
	bench.hide_kernel = false;
	bench.sample.size = 0;
	cell = walk(&bench);
	assert_int_equal(cell.stack_end, STACK_EXITING);
	expect(&bench, expect(&bench, cell.context, KERNEL + 1, false, false), KERNEL + 2, false,
	       true);
	end(&bench);
}

static void what_is_cut_says_why(void **state)
{
	struct histogram_cell cell;
	struct bench bench;

	begin(&bench, 3, 3);
	for (unsigned i = 0; i < PIECE; i += 2)
		put_frame(&bench, i, i + 2, CODE + 0x10 + i);
	cell = walk(&bench);
	assert_int_equal(cell.stack_end, STACK_TOO_DEEP);
	assert_int_equal(bench.stacks.contexts.count, 3);
	/* Another outermost call is another tree, for which there is no room. */
	bench.sample.piece[5]++;
	cell = walk(&bench);
	assert_int_equal(cell.stack_end, STACK_TREE_FULL);
	assert_int_equal(cell.context, 0);
	put_frame(&bench, 2, PIECE, CODE + 0x14);
	put_frame(&bench, 0, 2, CODE + 0x12);
	cell = walk(&bench);
	assert_int_equal(cell.stack_end, STACK_BEYOND_PIECE);
	bench.sample.size -= 8;
	assert_int_equal(walk(&bench).stack_end, STACK_NOT_READABLE);
	/* A pointer that leads down leads nowhere. */
	bench.sample.registers[BP] = STACK - 8;
	assert_int_equal(walk(&bench).stack_end, STACK_NO_RULE);
	bench.sample.registers[IP] = CODE - 1;
	assert_int_equal(walk(&bench).stack_end, STACK_NO_RULE);
	end(&bench);
}

/* A frame that is its own caller ends, too. */
static void no_stack_is_without_end(void **state)
{
	struct bench bench;

	begin(&bench, 8, 64);
	put_frame(&bench, 0, 0, CODE + 0x10);
	assert_int_equal(walk(&bench).stack_end, STACK_NO_RULE);
	for (uint64_t word = 0; word < 64; word++) {
		memset(bench.sample.piece, (int)(word * 37), sizeof(bench.sample.piece));
		bench.sample.registers[BP] = STACK + 8 * (word % PIECE);
		walk(&bench);
	}
	end(&bench);
}

/* The kernel writes no such records. */
static void records_that_end_early_have_nothing(void **state)
{
	struct bench bench;

	begin(&bench, 8, 64);
	put_frame(&bench, 0, 2, CODE + 0x10);
	for (unsigned size = 0; size < sizeof(bench.sample); size++) {
		bench.sample.header.size = (uint16_t)size;
		assert_int_equal(walk(&bench).context, 0);
	}
	bench.sample.header.size = sizeof(bench.sample);
	bench.sample.caller_count = UINT64_MAX;
	assert_int_equal(walk(&bench).context, 0);
	bench.sample.caller_count = 5;
	bench.sample.room = UINT64_MAX;
	assert_int_equal(walk(&bench).context, 0);
	end(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_found_outermost_first),
		cmocka_unit_test(the_kernel_was_entered_from_somewhere),
		cmocka_unit_test(what_is_cut_says_why),
		cmocka_unit_test(no_stack_is_without_end),
		cmocka_unit_test(records_that_end_early_have_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
