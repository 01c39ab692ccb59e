// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/stack.h"

#include "unwind/stack_end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	/* What is above a narrow register's 32 bits means nothing. */
	uint64_t mask = is_wide ? UINT64_MAX : UINT32_MAX;

	for (unsigned i = 0; i < 8; i++) {
		numbered[i] = stack->registers[is_wide ? wide[i] : narrow[i]] & mask;
		numbered[8 + i] = stack->registers[R8 + i] & mask;
	}
	*frame = (struct unwind_frame){
		.ip = stack->registers[IP] & mask,
		.sp = stack->registers[SP] & mask,
		.bp = stack->registers[BP] & mask,
		.bx = stack->registers[BX] & mask,
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
	struct unwind_walk up; /* its spaces: enum cell_space << 32 | the file */
	struct perf_stacks *stacks;
	const struct perf_stack *stack;
	const struct perf_stack_owner *owner;
	uint64_t stack_start;
	bool is_beyond; /* what could not be read lies behind the piece */
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

static uint64_t space_of(enum cell_space space, uint32_t file)
{
	return (uint64_t)space << 32 | file;
}

static bool keep_kernel(struct walk *walk)
{
	for (uint64_t i = 0; i < walk->stack->caller_count; i++) {
		struct unwind_call call = {.space = space_of(CELL_KERNEL, 0),
					   .offset = walk->stack->callers[i]};

		if (!unwind_keep(&walk->up, &call, NULL))
			return false;
	}
	return true;
}

/* What is mapped there. */
static enum unwind_end find_site(void *context, uint64_t address, struct unwind_site *ret_site)
{
	const struct walk *walk = context;
	const struct perf_stack_owner *owner = walk->owner;
	const struct perf_mapping *mapping =
		perf_process_find_at(owner->processes, owner->process, address);

	if (!mapping)
		return UNWIND_NO_RULE;
	*ret_site = (struct unwind_site){
		.space = space_of(mapping->space, mapping->file),
		.offset = address - mapping->start + mapping->offset,
		.table = perf_tables_of(&walk->stacks->tables, &owner->processes->files, mapping,
					owner->process->pid),
		.has_pointers = mapping->space == CELL_ANONYMOUS,
	};
	return UNWIND_GOES_ON;
}

static enum unwind_end find_framed(void *context, const struct unwind_site *site, bool is_exact,
				   struct unwind_rule *ret_rule)
{
	const struct walk *walk = context;

	if (site->space >> 32 != CELL_FILE)
		return UNWIND_NO_RULE;
	return perf_tables_framed(&walk->stacks->tables, (uint32_t)site->space, site->offset,
				  is_exact, ret_rule);
}

/* Of a task that ends, the stack is gone; of one that executes a program, the registers are what
 * was before. */
static enum stack_end walk_up(struct walk *walk)
{
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
	start_frame(walk->stack, numbered, &walk->up.frame);
	walk->stack_start = walk->up.frame.sp;
	walk->up.word_size = walk->stack->abi == PERF_SAMPLE_REGS_ABI_64 ? 8 : 4;
	end = stack_end_of(unwind_callers(&walk->up, !walk->owner->in_kernel));
	return end == STACK_NOT_READABLE && walk->is_beyond ? STACK_BEYOND_PIECE : end;
}

static struct histogram_context context_of(const struct walk *walk, const struct unwind_call *call)
{
	enum cell_space space = (enum cell_space)(call->space >> 32);

	return (struct histogram_context){
		.space = space,
		.file = (uint32_t)call->space,
		.task = space == CELL_ANONYMOUS ? walk->owner->task : HISTOGRAM_NO_TASK,
		.address = call->offset,
		.interrupted = call->interrupted,
		.folded = call->folded,
	};
}

/* The callers first: a context is found by its caller. */
static void add_frames(const struct walk *walk, struct histogram_cell *cell)
{
	for (uint32_t i = walk->up.count; i--;) {
		struct histogram_context call = context_of(walk, &walk->up.calls[i]);
		uint32_t context;

		call.parent = cell->context;
		context = perf_contexts_add(&walk->stacks->contexts, &call);
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
	struct walk walk = {
		.up = {.calls = stacks->frames,
		       .most = stacks->most,
		       .no_fold = stacks->no_fold,
		       .find = find_site,
		       .read = read_piece,
		       .framed = find_framed},
		.stacks = stacks,
		.stack = stack,
		.owner = owner,
	};

	walk.up.context = &walk;
	cell->context = 0;
	cell->stack_end = walk_up(&walk);
	add_frames(&walk, cell);
}

int perf_stacks_init(struct perf_stacks *stacks, const struct engine_options *options)
{
	stacks->most = options->max_stack ? options->max_stack : FRAMES_DEFAULT;
	stacks->no_fold = options->no_fold;
	stacks->frames = calloc(stacks->most, sizeof(*stacks->frames));
	if (!stacks->frames)
		return -ENOMEM;
	return perf_contexts_init(&stacks->contexts,
				  options->max_contexts ? options->max_contexts : CONTEXTS_DEFAULT);
}

void perf_stacks_done(struct perf_stacks *stacks)
{
	perf_tables_done(&stacks->tables);
	perf_contexts_done(&stacks->contexts);
	free(stacks->frames);
	*stacks = (struct perf_stacks){0};
}
