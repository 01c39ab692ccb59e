/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The calling context of a tick: the calls on its stack, walked from the innermost one out, and
 * what becomes of them in the tree of all contexts. */

/* A context's number is the sum of its calls' numbers, each times a power of WEIGHT, the innermost
 * one's the zeroth: so that of the context around it comes without its own calls.  SEED is another
 * one in each measurement. */
#define STACK_WEIGHT 0x9e3779b97f4a7c15ull
#define STACK_WEIGHT_INVERSE 0xf1de83e19937733dull /* their product is 1 */
const volatile __u64 context_seed = 1;
const volatile __u32 context_limit;
const volatile __u32 context_mask; /* all slots but one */
__u32 context_count;

/* The tree and its index are arrays, and not a hash table of the kernel's: that takes four times as
 * long to make, and a CPU that finds it locked cannot wait. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u32);
	__type(value, struct kernel_call);
} contexts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the same */
	__type(key, __u32);
	__type(value, struct kernel_context_slots);
} context_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* the same */
	__type(key, struct kernel_stack_key);
	__type(value, __u64);
} stack_cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_stack_recent);
} stack_recent SEC(".maps");

static __always_inline __u64 call_number(const struct stack_call *call)
{
	__u64 mixed = call->address ^ context_seed;

	mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
	mixed ^= (__u64)call->file << 32 | call->task;
	mixed = (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
	mixed += call->flags;
	return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93ull;
}

static __always_inline void call_weigh(struct stack_state *state)
{
	struct stack_call *last = &state->calls[(state->count - 1) & (STACK_FRAMES - 1)];

	if (!state->count)
		return;
	if (!last->number)
		last->number = call_number(last);
	state->context += last->number * state->weight;
	state->weight *= STACK_WEIGHT;
}

/* Keep a call; the one before is then what it will be.  Of a function that calls itself the
 * outermost call stands for all.  NUMBER is its number where it is known, else 0. */
static __always_inline int call_keep(struct stack_state *state, __u64 address, __u32 file,
				     __u32 function, __u32 flags, __u64 number)
{
	struct stack_call *last = &state->calls[(state->count - 1) & (STACK_FRAMES - 1)];

	if (folds && state->count && function && last->function == function &&
	    !((last->flags | flags) & KERNEL_CALL_INTERRUPTED)) {
		last->address = address;
		last->flags |= KERNEL_CALL_FOLDED;
		last->number = 0;
		return 1;
	}
	if (state->count >= max_stack)
		return 0;
	call_weigh(state);
	last = &state->calls[state->count & (STACK_FRAMES - 1)];
	last->address = address;
	last->file = file;
	last->function = function;
	last->flags = flags;
	last->task = file == KERNEL_SPACE_ANONYMOUS ? state->code_owner : 0;
	last->number = number;
	state->count++;
	return 1;
}

#include "python.bpf.h"

/* ---- a frame's row ---- */

/* The rule NUMBER of all files.  A short form has words of 64 bits. */
static __always_inline void row_take_rule(struct stack_row *row, __u32 number, bool is_32_bit)
{
	struct kernel_rule *rule = bpf_map_lookup_elem(&table_rules, &number);

	row->kind = KERNEL_RULE_END;
	row->cfa = number == UNWIND_OUTERMOST ? KERNEL_STACK_WHOLE : KERNEL_STACK_NO_RULE;
	if (number < UNWIND_FIRST_RULE || !rule)
		return;
	row->kind = rule->kind;
	/* Nobody has called from the code that a signal's handler returns to, which the kernel has
	 * put there as a caller: its first instruction would be that. */
	row->flags = rule->kind == KERNEL_RULE_SIGNAL ? KERNEL_CALL_INTERRUPTED : 0;
	row->cfa = rule->cfa;
	row->low = rule->low;
	row->bp = rule->bp;
	row->bx = rule->bx;
	if (rule->kind == KERNEL_RULE_BY_SP || rule->kind == KERNEL_RULE_BY_BP) {
		if (!is_32_bit)
			return;
		row->kind = KERNEL_RULE_SLOW;
	}
	row->cfa = number;
}

/* What the table that is held says of OFFSET. */
static __always_inline void row_take_table(const struct stack_state *state, struct stack_row *row,
					   __u32 offset)
{
	__u32 page = (offset - state->first_offset) >> state->page_shift;
	struct stack_call call = {.address = (__u64)offset + 1, .file = state->file};
	__u64 found = UNWIND_UNKNOWN;

	if (page < state->page_count)
		found = stack_find(state->page_base + page, offset);
	row->function = found >> 32;
	row->number = call_number(&call);
	row_take_rule(row, found, state->is_32_bit);
	row->key = STACK_ROW_KEY(state->file, offset);
}

static __always_inline struct stack_row *row_in(__u32 slot)
{
	__u32 part = slot / STACK_ROWS & (STACK_ROW_PARTS - 1);
	struct stack_rows *all = bpf_map_lookup_elem(&stack_rows, &part);

	return all ? &all->rows[slot & (STACK_ROWS - 1)] : NULL;
}

/* Have in SLOT what is known of ADDRESS, which is in the mapping that is held. */
__noinline int stack_row_take(__u32 slot, __u64 address)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct stack_row *row = row_in(slot);

	if (!state || !row)
		return 0;
	row->key = STACK_NO_KEY;
	row->function = 0;
	row->number = 0;
	row->flags = 0;
	if (state->table_state == KERNEL_TABLE_READY) {
		row_take_table(state, row, address - state->base);
	} else if (state->table_state == KERNEL_TABLE_EMPTY) {
		row->kind = KERNEL_RULE_FRAME_POINTER;
		row->cfa = 0; /* nobody judges */
	} else {
		row->kind = KERNEL_RULE_END;
		row->cfa = state->table_state == KERNEL_TABLE_FULL	 ? KERNEL_STACK_TABLES_FULL
			   : state->table_state == KERNEL_TABLE_LAUNCHER ? KERNEL_STACK_EXITING
									 : KERNEL_STACK_NO_TABLE;
	}
	return 1;
}

/* The row of ADDRESS, which is in the mapping that is held.  Where a tick falls differs from tick
 * to tick: such rows have one place, and do not displace the others. */
static __always_inline struct stack_row *stack_row_at(const struct stack_state *state,
						      __u64 address)
{
	__u64 key = STACK_ROW_KEY(state->file, address - state->base);
	__u32 slot = state->is_exact ? 0 : key * STACK_WEIGHT >> 48;
	struct stack_row *row = row_in(slot);

	if (!row)
		return NULL;
	if (state->table_state != KERNEL_TABLE_READY || row->key != key)
		stack_row_take(slot, address);
	return row;
}

/* ---- a step ---- */

/* Make the frame its caller's, by its row.  Returns 0, or how the path ends. */
static __always_inline __u32 stack_up(struct stack_state *state, const struct stack_row *row)
{
	switch (row->kind) {
	case KERNEL_RULE_BY_SP:
	case KERNEL_RULE_BY_BP:
		return stack_step_short(state, row);
	case KERNEL_RULE_FRAME_POINTER:
		return stack_step_bp(STACK_LARGEST_FRAME, row->cfa);
	case KERNEL_RULE_END:
		return row->cfa;
	case KERNEL_RULE_OTHER_STACK:
		return stack_step_other(row->cfa);
	default:
		return stack_step_long(row->cfa);
	}
}

/* One frame, whose call is at ADDRESS in the mapping that is held: it is kept, unless the tick fell
 * there, and its caller's is found.  Returns 0, or how the path ends. */
__noinline __u32 stack_frame(__u64 address)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct stack_row *row;
	__u64 sp, at;
	__u32 flags, end;

	if (!state)
		return KERNEL_STACK_NO_RULE;
	row = stack_row_at(state, address);
	if (!row)
		return KERNEL_STACK_NO_RULE;
	at = state->ip - state->base;
	sp = state->sp;
	/* Nobody has called from where a signal interrupted.  (Without a branch: a way less.) */
	_Static_assert(KERNEL_CALL_INTERRUPTED == 1, "what is exact is interrupted");
	flags = row->flags | state->is_exact;
	if (wants_python && state->python && !state->python_mark)
		python_begin(state->python);
	end = stack_up(state, row);
	if (wants_python && state->python && !end && python_is_marked(state, sp) &&
	    python_stand(0)) {
		state->is_leaf = 0;
		return state->end;
	}
	if (state->is_leaf)
		state->is_leaf = 0;
	else if (!call_keep(state, at, state->file, row->function, flags, flags ? 0 : row->number))
		return KERNEL_STACK_TOO_DEEP;
	return end;
}

/* The mapping is looked for here and not in stack_frame(): until 6.12 what is on the BPF stack at
 * once has 512 bytes, and the search is as deep as all else. */
static long stack_step(__u32 index, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	__u64 address = state->is_exact ? state->ip : state->ip - 1;

	if (address - state->start >= state->size && stack_locate(address))
		state->end = index ? KERNEL_STACK_NO_RULE : KERNEL_STACK_EXITING;
	else
		state->end = stack_frame(address);
	return state->end ? 1 : 0;
}

/* The kernel's own calls, of which the first is where the tick fell. */
static long kernel_step(__u32 index, struct stack_walk *walk)
{
	__u64 address = walk->state->kernel[(index + 1) & (STACK_KERNEL_FRAMES - 1)];

	return call_keep(walk->state, address, KERNEL_SPACE_KERNEL, 0, 0, 0) ? 0 : 1;
}

/* ---- the tree ---- */

#define CONTEXT_PROBES 64 /* at most half of the slots are taken: a longer way is none */

struct context_search {
	__u64 number;
	__u32 slot;  /* where it is, or would be */
	__u32 found; /* its index and 1; 0: it is not there */
};

static __always_inline __u32 *context_slot(__u32 slot)
{
	__u32 part = (slot & context_mask) / STACK_SLOTS;
	struct kernel_context_slots *slots = bpf_map_lookup_elem(&context_slots, &part);

	return slots ? &slots->at[slot & (STACK_SLOTS - 1)] : NULL;
}

static long context_probe(__u32 index, struct context_search *search)
{
	const __u32 *slot = context_slot(search->slot);
	const struct kernel_call *call;
	__u32 at;

	search->found = slot ? *(const volatile __u32 *)slot : 0;
	if (!search->found)
		return 1;
	at = search->found - 1;
	call = bpf_map_lookup_elem(&contexts, &at);
	if (!call || call->number == search->number)
		return 1;
	search->found = 0;
	search->slot++;
	return 0;
}

/* Where the context NUMBER is, and above it the slot that says so, or would. */
__noinline __u64 context_seek(__u64 number)
{
	struct context_search search = {.number = number, .slot = number >> 32};

	bpf_loop(CONTEXT_PROBES, context_probe, &search, 0);
	return (__u64)search.slot << 32 | search.found;
}

/* Add CALL, made in PARENT, as the context NUMBER, which SLOT will say.  Returns its index and 1,
 * or 0 where the table is full.  It is there before the slot says so; where another CPU was faster,
 * it is there twice, and the slot is the other's. */
static __always_inline __u32 context_put(const struct stack_call *call, __u32 parent, __u64 number,
					 __u32 slot)
{
	struct kernel_call *added;
	__u32 at, *said;

	if (context_count >= context_limit)
		return 0;
	at = __sync_fetch_and_add(&context_count, 1);
	added = bpf_map_lookup_elem(&contexts, &at);
	if (!added)
		return 0;
	added->address = call->address;
	added->file = call->file;
	added->task = call->task;
	added->parent = parent;
	added->flags = call->flags;
	barrier();
	*(volatile __u64 *)&added->number = number;
	said = context_slot(slot);
	if (said)
		__sync_val_compare_and_swap(said, 0, at + 1);
	return at + 1;
}

/* The context around the INDEXth call, counted from the innermost.  Most often all is known but a
 * few innermost ones. */
static long context_outwards(__u32 index, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	const struct stack_call *call = &state->calls[index & (STACK_FRAMES - 1)];

	state->context = (state->context - call->number) * STACK_WEIGHT_INVERSE;
	state->unknown = index + 1;
	state->context_at = context_seek(state->context);
	return state->context_at ? 1 : 0;
}

/* The next call, made in the context that is known, is added: then that one is. */
static long context_add(__u32 index, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	__u32 at = (state->unknown - 1 - index) & (STACK_FRAMES - 1);
	const struct stack_call *call = &state->calls[at];
	__u64 number = call->number + state->context * STACK_WEIGHT;
	__u64 found;
	__u32 in;

	if (index >= STACK_NEW_NODES) {
		state->end = KERNEL_STACK_TREE_GROWING;
		return 1;
	}
	found = context_seek(number);
	in = (__u32)found ? found : context_put(call, state->context_at, number, found >> 32);
	if (!in) {
		state->end = KERNEL_STACK_TREE_FULL;
		return 1;
	}
	state->context = number;
	state->context_at = in;
	return 0;
}

/* The context of the calls that were walked becomes one of the tree's, or as much of it as there is
 * room for. */
static __always_inline void context_find(struct stack_walk *walk)
{
	struct stack_state *state = walk->state;

	if (!state->count || (__u32)context_seek(state->context))
		return;
	bpf_loop(state->count, context_outwards, walk, 0);
	bpf_loop(state->unknown, context_add, walk, 0);
}

/* ---- the beginning ---- */

#if defined(__TARGET_ARCH_x86)
#define CODE_32_BIT 0x23 /* Linux's segment for it; 64-bit code runs in 0x33 */

/* Registers by DWARF's numbers, which are others for 32-bit programs. */
static __always_inline void stack_number_narrow(__u64 *by_number, const struct pt_regs *regs)
{
	by_number[0] = (__u32)regs->rax;
	by_number[1] = (__u32)regs->rcx;
	by_number[2] = (__u32)regs->rdx;
	by_number[3] = (__u32)regs->rbx;
	by_number[4] = (__u32)regs->rsp;
	by_number[5] = (__u32)regs->rbp;
	by_number[6] = (__u32)regs->rsi;
	by_number[7] = (__u32)regs->rdi;
}

static __always_inline void stack_number(__u64 *by_number, const struct pt_regs *regs)
{
	by_number[0] = regs->rax;
	by_number[1] = regs->rdx;
	by_number[2] = regs->rcx;
	by_number[3] = regs->rbx;
	by_number[4] = regs->rsi;
	by_number[5] = regs->rdi;
	by_number[6] = regs->rbp;
	by_number[7] = regs->rsp;
	by_number[8] = regs->r8;
	by_number[9] = regs->r9;
	by_number[10] = regs->r10;
	by_number[11] = regs->r11;
	by_number[12] = regs->r12;
	by_number[13] = regs->r13;
	by_number[14] = regs->r14;
	by_number[15] = regs->r15;
}

static __always_inline void stack_begin(struct stack_state *state, const struct pt_regs *regs)
{
	state->is_32_bit = regs->cs == CODE_32_BIT;
	state->ip = regs->rip;
	if (state->is_32_bit) {
		/* What is above a narrow register's 32 bits means nothing. */
		stack_number_narrow(state->registers, regs);
		state->sp = (__u32)regs->rsp;
		state->bp = (__u32)regs->rbp;
		state->bx = (__u32)regs->rbx;
	} else {
		stack_number(state->registers, regs);
		state->sp = regs->rsp;
		state->bp = regs->rbp;
		state->bx = regs->rbx;
	}
	state->has_bp = state->has_bx = state->is_exact = state->is_innermost = 1;
}
#endif

static __always_inline void stack_clear(struct stack_state *state)
{
	state->window_start = 0;
	state->window_size = 0;
	state->count = 0;
	state->end = 0;
	state->is_leaf = 0;
	state->start = 0;
	state->size = 0;
	state->python_mark = 0;
	state->python_broken = 0;
	state->context = 0;
	state->weight = 1;
}
