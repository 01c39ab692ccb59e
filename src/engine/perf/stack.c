// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/stack.h"

#include "unwind/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Frames of recursion that are folded are no more frames, but each is a step. */
#define STEPS_MOST 16384

#define FRAMES_DEFAULT 256
#define CONTEXTS_DEFAULT 262144

/* ---- what the kernel wrote ---- */

#ifdef __x86_64__

#include <asm/perf_regs.h>

/* The sample's words, in the order of the registers' numbers. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8, WORDS = R8 + 8 };

uint64_t perf_stack_registers(void)
{
	uint64_t low = (UINT64_C(1) << (PERF_REG_X86_IP + 1)) - 1;

	return low | UINT64_C(0xff) << PERF_REG_X86_R8;
}

/* The innermost frame of the user's, and its registers by DWARF's numbers of its machine. */
static void start_frame(const struct perf_stack *stack, uint64_t *numbered,
			struct unwind_frame *frame)
{
	static const uint8_t wide[] = {AX, DX, CX, BX, SI, DI, BP, SP};
	static const uint8_t narrow[] = {AX, CX, DX, BX, SP, BP, SI, DI};
	bool is_wide = stack->abi == PERF_SAMPLE_REGS_ABI_64;

	for (unsigned i = 0; i < 8; i++) {
		numbered[i] = stack->registers[is_wide ? wide[i] : narrow[i]];
		numbered[8 + i] = stack->registers[R8 + i];
	}
	*frame = (struct unwind_frame){
		.ip = stack->registers[IP],
		.sp = stack->registers[SP],
		.bp = stack->registers[BP],
		.bx = stack->registers[BX],
		.registers = numbered,
		.has_bp = true,
		.has_bx = true,
		.is_exact = true,
	};
}

#else

enum { WORDS = 1 };

uint64_t perf_stack_registers(void)
{
	return 0;
}

static void start_frame(const struct perf_stack *stack, uint64_t *numbered,
			struct unwind_frame *frame)
{
	(void)stack;
	(void)numbered;
	*frame = (struct unwind_frame){0};
}

#endif

/* Words of a record that are left. */
struct words {
	const uint64_t *at;
	uint64_t left;
};

static const uint64_t *take(struct words *words, uint64_t count)
{
	const uint64_t *at = words->at;

	if (count > words->left) {
		words->left = 0;
		return NULL;
	}
	words->at += count;
	words->left -= count;
	return at;
}

static uint64_t take_one(struct words *words)
{
	const uint64_t *at = take(words, 1);

	return at ? *at : 0;
}

/* The chain begins with a mark, and then the sample's own address, which is no caller. */
static void read_callers(struct words *words, struct perf_stack *stack)
{
	uint64_t count = take_one(words);
	const uint64_t *chain = take(words, count);

	if (chain && count > 2 && chain[0] == (uint64_t)PERF_CONTEXT_KERNEL) {
		stack->callers = chain + 2;
		stack->caller_count = count - 2;
	}
}

struct perf_stack perf_stack_of(const struct perf_event_header *record, size_t start,
				bool has_callers)
{
	struct words words = {(const uint64_t *)((const char *)record + start)};
	struct perf_stack stack = {0};

	if (record->size > start)
		words.left = (record->size - start) / sizeof(uint64_t);
	if (has_callers)
		read_callers(&words, &stack);
	stack.abi = take_one(&words);
	if (stack.abi)
		stack.registers = take(&words, WORDS);
	stack.piece_room = take_one(&words);
	stack.piece = (const uint8_t *)take(&words, stack.piece_room / sizeof(uint64_t));
	stack.piece_size = take_one(&words);
	if (!stack.piece || stack.piece_size > stack.piece_room)
		stack.piece_size = 0;
	return stack;
}

/* ---- one walk ---- */

struct walk {
	struct perf_stacks *stacks;
	const struct perf_stack *stack;
	const struct perf_stack_owner *owner;
	struct unwind_frame frame;
	uint64_t stack_start;
	uint32_t word_size;
	uint32_t count;			   /* of frames, innermost first */
	bool is_beyond;			   /* what could not be read lies behind the piece */
	const struct unwind_row *function; /* that the last frame is in; NULL: not known */
};

/* What of the stack was written down: its end may be the sample's, or the stack's own. */
static int read_piece(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	struct walk *walk = context;
	uint64_t at = address - walk->stack_start;

	*ret_word = 0;
	if (at > walk->stack->piece_size || size > walk->stack->piece_size - at) {
		walk->is_beyond = address >= walk->stack_start &&
				  walk->stack->piece_size == walk->stack->piece_room;
		return 0;
	}
	memcpy(ret_word, walk->stack->piece + at, size);
	return 1;
}

static enum stack_end reason(const struct walk *walk, enum unwind_end end)
{
	switch (end) {
	case UNWIND_WHOLE:
		return STACK_WHOLE;
	case UNWIND_NOT_READABLE:
		return walk->is_beyond ? STACK_BEYOND_PIECE : STACK_NOT_READABLE;
	default:
		return STACK_NO_RULE;
	}
}

/* Code without a table keeps frame pointers or none: what is followed must at least look so. */
static enum unwind_end step_by_pointer(struct walk *walk)
{
	struct unwind_frame *frame = &walk->frame;
	struct unwind_frame caller = {.has_bp = true};
	uint32_t size = walk->word_size;

	if (!frame->has_bp || frame->bp < frame->sp || frame->bp % size)
		return UNWIND_NO_RULE;
	if (!read_piece(walk, frame->bp, size, &caller.bp) ||
	    !read_piece(walk, frame->bp + size, size, &caller.ip))
		return UNWIND_NOT_READABLE;
	caller.sp = frame->bp + 2 * (uint64_t)size;
	*frame = caller;
	return UNWIND_GOES_ON;
}

/* Where the function begins that OFFSET of TABLE's file is in: one row for all its addresses. */
static const struct unwind_row *function_at(const struct unwind_table *table, uint64_t offset)
{
	const struct unwind_row *row = table ? unwind_find(table, offset) : NULL;

	if (!row || row->back == UINT16_MAX || row->back > row - table->rows)
		return NULL;
	return row - row->back;
}

/* The code that a signal's handler returns to: nobody has called from there. */
static bool is_signal_frame(const struct unwind_table *table, uint64_t offset)
{
	const struct unwind_row *row = table ? unwind_find(table, offset) : NULL;

	return row && row->rule >= UNWIND_FIRST_RULE &&
	       (table->rules[row->rule].flags & UNWIND_SIGNAL);
}

/* Calls that follow one another in one function are one frame, of which the outermost call is kept:
 * where it was called from is what its callers know of it. */
static bool keep(struct walk *walk, const struct histogram_context *context,
		 const struct unwind_row *function)
{
	struct histogram_context *frames = walk->stacks->frames;
	struct histogram_context *last = walk->count ? &frames[walk->count - 1] : NULL;

	if (!walk->stacks->no_fold && last && !context->interrupted && !last->interrupted &&
	    last->space == context->space && last->file == context->file &&
	    (last->address == context->address || (function && function == walk->function))) {
		last->address = context->address;
		last->folded = true;
		return true;
	}
	if (walk->count == walk->stacks->most)
		return false;
	frames[walk->count++] = *context;
	walk->function = function;
	return true;
}

static bool keep_kernel(struct walk *walk)
{
	for (uint64_t i = 0; i < walk->stack->caller_count; i++) {
		struct histogram_context context = {.space = CELL_KERNEL,
						    .task = HISTOGRAM_NO_TASK,
						    .address = walk->stack->callers[i]};

		if (!keep(walk, &context, NULL))
			return false;
	}
	return true;
}

/* The frame that lies in MAPPING. */
static struct histogram_context context_in(const struct walk *walk,
					   const struct perf_mapping *mapping)
{
	return (struct histogram_context){
		.space = mapping->space,
		.file = mapping->file,
		.task = mapping->space == CELL_ANONYMOUS ? walk->owner->task : HISTOGRAM_NO_TASK,
		.address = walk->frame.ip - mapping->start + mapping->offset,
		.interrupted = walk->frame.is_exact,
	};
}

/* From one frame to its caller; IS_SAMPLE: the frame is the sample's own address, not a context.
 * STACK_NONE: there is more. */
static enum stack_end go_up(struct walk *walk, bool is_sample)
{
	uint64_t address = unwind_address(&walk->frame), offset;
	const struct perf_mapping *mapping =
		perf_process_find_at(walk->owner->processes, walk->owner->process, address);
	const struct unwind_table *table;
	struct histogram_context context;
	enum unwind_end end;

	if (!mapping)
		return STACK_NO_RULE;
	offset = address - mapping->start + mapping->offset;
	table = perf_tables_of(&walk->stacks->tables, &walk->owner->processes->files, mapping,
			       walk->owner->process->pid);
	context = context_in(walk, mapping);
	context.interrupted |= is_signal_frame(table, offset);
	if (!is_sample && !keep(walk, &context, function_at(table, offset)))
		return STACK_TOO_DEEP;
	if (table && table->row_count)
		end = unwind_step_by(table, offset, &walk->frame, read_piece, walk);
	else if (table || mapping->space == CELL_ANONYMOUS)
		end = step_by_pointer(walk);
	else
		return STACK_NO_TABLE;
	return end == UNWIND_GOES_ON ? STACK_NONE : reason(walk, end);
}

/* Of a task that ends, the stack is gone; of one that executes a program, the registers are what
 * was before. */
static enum stack_end walk_up(struct walk *walk)
{
	bool is_sample = !walk->owner->in_kernel;
	uint64_t numbered[16];
	enum stack_end end;

	if (walk->owner->in_kernel && !walk->owner->hide_kernel && !keep_kernel(walk))
		return STACK_TOO_DEEP;
	if (walk->owner->in_kernel && (!walk->stack->abi || !walk->stack->piece_size))
		return STACK_EXITING;
	if (!walk->stack->registers)
		return STACK_NOT_READABLE;
	if (!walk->owner->process)
		return STACK_NO_TABLE;
	start_frame(walk->stack, numbered, &walk->frame);
	walk->stack_start = walk->frame.sp;
	walk->word_size = walk->stack->abi == PERF_SAMPLE_REGS_ABI_64 ? 8 : 4;
	for (uint32_t steps = 0; steps < STEPS_MOST; steps++) {
		end = go_up(walk, is_sample);
		if (end != STACK_NONE)
			return end;
		is_sample = false;
	}
	return STACK_TOO_DEEP;
}

/* The callers first: a context is found by its caller. */
static void add_frames(const struct walk *walk, struct histogram_cell *cell)
{
	for (uint32_t i = walk->count; i--;) {
		uint32_t context;

		walk->stacks->frames[i].parent = cell->context;
		context = perf_contexts_add(&walk->stacks->contexts, &walk->stacks->frames[i]);
		if (!context) {
			cell->stack_end = STACK_TREE_FULL;
			return;
		}
		cell->context = context;
	}
}

void perf_stacks_walk(struct perf_stacks *stacks, const struct perf_stack *stack,
		      const struct perf_stack_owner *owner, struct histogram_cell *cell)
{
	struct walk walk = {.stacks = stacks, .stack = stack, .owner = owner};

	cell->context = 0;
	cell->stack_end = walk_up(&walk);
	add_frames(&walk, cell);
}

int perf_stacks_init(struct perf_stacks *stacks, const struct engine_options *options)
{
	stacks->most = options->max_stack ? options->max_stack : FRAMES_DEFAULT;
	stacks->contexts.limit = options->max_contexts ? options->max_contexts : CONTEXTS_DEFAULT;
	stacks->no_fold = options->no_fold;
	stacks->frames = calloc(stacks->most, sizeof(*stacks->frames));
	return stacks->frames ? 0 : -ENOMEM;
}

void perf_stacks_done(struct perf_stacks *stacks)
{
	perf_tables_done(&stacks->tables);
	perf_contexts_done(&stacks->contexts);
	free(stacks->frames);
	*stacks = (struct perf_stacks){0};
}
