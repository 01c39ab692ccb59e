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

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u64);
	__type(value, struct kernel_call);
} contexts SEC(".maps");

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
	state->context += call_number(last) * state->weight;
	state->weight *= STACK_WEIGHT;
}

/* Keep a call; the one before is then what it will be.  Of a function that calls itself the
 * outermost call stands for all. */
static __always_inline int call_keep(struct stack_state *state, __u64 address, __u32 file,
				     __u32 task, __u32 function, __u32 flags)
{
	struct stack_call *last = &state->calls[(state->count - 1) & (STACK_FRAMES - 1)];

	if (folds && state->count && function && last->function == function &&
	    !((last->flags | flags) & KERNEL_CALL_INTERRUPTED)) {
		last->address = address;
		last->flags |= KERNEL_CALL_FOLDED;
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
	last->task = task;
	state->count++;
	return 1;
}

/* The table's row at ADDRESS, which is in the mapping that is held. */
static __always_inline __u64 stack_find(const struct stack_state *state, __u64 address)
{
	__u32 offset = address - state->base;
	__u32 page = (offset - state->first_offset) >> state->page_shift;

	if (state->table_state != KERNEL_TABLE_READY || page >= state->page_count)
		return UNWIND_UNKNOWN;
	return stack_row(state->page_base + page, offset);
}

/* Make the frame its caller's, by the rule of its row, which is KNOWN.  Returns 0, or how the path
 * ends. */
static __always_inline __u32 stack_up(struct stack_state *state, __u32 rule,
				      const struct kernel_rule *known)
{
	if (state->table_state == KERNEL_TABLE_EMPTY)
		return stack_step_bp(STACK_LARGEST_FRAME);
	if (state->table_state != KERNEL_TABLE_READY)
		return KERNEL_STACK_NO_TABLE;
	if (rule == UNWIND_OUTERMOST)
		return KERNEL_STACK_WHOLE;
	if (rule == UNWIND_UNKNOWN || !known)
		return KERNEL_STACK_NO_RULE;
	if (known->kind == KERNEL_RULE_BY_SP || known->kind == KERNEL_RULE_BY_BP)
		return stack_step_short(state, known);
	return stack_step_long(rule);
}

/* Nobody has called from where a signal interrupted, nor from the code that its handler returns to,
 * which the kernel has put there as a caller: its first instruction would be that. */
static __always_inline __u32 call_flags(const struct stack_state *state,
					const struct kernel_rule *rule)
{
	return state->is_exact || (rule && rule->kind == KERNEL_RULE_SIGNAL)
		       ? KERNEL_CALL_INTERRUPTED
		       : 0;
}

/* One frame: it is kept, unless the tick fell there, and its caller's is found.  Returns 0, or how
 * the path ends. */
__noinline __u32 stack_frame(struct bpf_perf_event_data *event, __u32 index)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct kernel_rule *known;
	__u64 address, found;
	__u32 task, rule;

	if (!state)
		return KERNEL_STACK_NO_RULE;
	address = state->is_exact ? state->ip : state->ip - 1;
	if (address - state->start >= state->size && !stack_locate(event, address))
		return index ? KERNEL_STACK_NO_RULE : KERNEL_STACK_EXITING;
	found = stack_find(state, address);
	rule = found;
	known = bpf_map_lookup_elem(&table_rules, &rule);
	task = state->file == KERNEL_SPACE_ANONYMOUS ? state->tgid : 0;
	if (state->is_leaf)
		state->is_leaf = 0;
	else if (!call_keep(state, state->ip - state->base, state->file, task, found >> 32,
			    call_flags(state, known)))
		return KERNEL_STACK_TOO_DEEP;
	return stack_up(state, rule, known);
}

static long stack_step(__u32 index, struct stack_walk *walk)
{
	walk->state->end = stack_frame(walk->event, index);
	return walk->state->end ? 1 : 0;
}

/* The kernel's own calls, of which the first is where the tick fell. */
static long kernel_step(__u32 index, struct stack_walk *walk)
{
	__u64 address = walk->state->kernel[(index + 1) & (STACK_KERNEL_FRAMES - 1)];

	return call_keep(walk->state, address, KERNEL_SPACE_KERNEL, 0, 0, 0) ? 0 : 1;
}

/* ---- the tree ---- */

/* The context around the INDEXth call, counted from the innermost.  Most often all is known but a
 * few innermost ones. */
static long context_outwards(__u32 index, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	const struct stack_call *call = &state->calls[index & (STACK_FRAMES - 1)];

	state->context = (state->context - call_number(call)) * STACK_WEIGHT_INVERSE;
	state->unknown = index + 1;
	return bpf_map_lookup_elem(&contexts, &state->context) ? 1 : 0;
}

/* The next call, made in the context that is known, is added: then that one is. */
static long context_add(__u32 index, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	__u32 at = (state->unknown - 1 - index) & (STACK_FRAMES - 1);
	const struct stack_call *call = &state->calls[at];
	struct kernel_call added = {};
	__u64 number = call_number(call) + state->context * STACK_WEIGHT;
	long error;

	added.parent = state->context;
	added.address = call->address;
	added.file = call->file;
	added.task = call->task;
	added.flags = call->flags;
	error = index >= STACK_NEW_NODES
			? -EAGAIN
			: bpf_map_update_elem(&contexts, &number, &added, BPF_NOEXIST);
	if (error && error != -EEXIST) {
		state->end = error == -EAGAIN  ? KERNEL_STACK_TREE_GROWING
			     : error == -EBUSY ? KERNEL_STACK_BUSY
					       : KERNEL_STACK_TREE_FULL;
		return 1;
	}
	state->context = number;
	return 0;
}

/* The context of the calls that were walked becomes one of the tree's, or as much of it as there is
 * room for. */
static __always_inline void context_find(struct stack_walk *walk)
{
	struct stack_state *state = walk->state;

	call_weigh(state);
	if (!state->count || bpf_map_lookup_elem(&contexts, &state->context))
		return;
	bpf_loop(state->count, context_outwards, walk, 0);
	bpf_loop(state->unknown, context_add, walk, 0);
}

/* ---- the beginning ---- */

#if defined(__TARGET_ARCH_x86)
static __always_inline void stack_begin(struct stack_state *state, const struct pt_regs *regs)
{
	__u64 *by_number = state->registers; /* DWARF's */

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
	state->ip = regs->rip;
	state->sp = regs->rsp;
	state->bp = regs->rbp;
	state->bx = regs->rbx;
	state->is_32_bit = regs->cs == 0x23;
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
	state->context = 0;
	state->weight = 1;
}
