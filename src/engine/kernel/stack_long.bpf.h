/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The step of the walk by a rule that has no short form. */

/* Have the word at ADDRESS, as wide as the program's are. */
__noinline int stack_fetch(__u64 address)
{
	__u32 zero = 0, narrow;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);

	if (!state)
		return 0;
	if (!state->is_32_bit)
		return !bpf_probe_read_user(&state->word, sizeof(state->word), (void *)address);
	if (bpf_probe_read_user(&narrow, sizeof(narrow), (void *)address))
		return 0;
	state->word = narrow;
	return 1;
}

static __always_inline int stack_read_word(void *context, uint64_t address, uint32_t size,
					   uint64_t *ret_word)
{
	const struct stack_state *state = context;

	if (!stack_fetch(address))
		return 0;
	*ret_word = state->word;
	return 1;
}

static __always_inline void stack_take_frame(struct stack_state *state,
					     struct unwind_frame *ret_frame)
{
	ret_frame->ip = state->ip;
	ret_frame->sp = state->sp;
	ret_frame->bp = state->bp;
	ret_frame->bx = state->bx;
	ret_frame->registers = state->is_innermost ? (const uint64_t *)state->registers : NULL;
	ret_frame->has_bp = state->has_bp;
	ret_frame->has_bx = state->has_bx;
	ret_frame->is_exact = state->is_exact;
}

/* unwind_restore() of the state's frame, WHERE and OFFSET being the place: once for the verifier,
 * where the step does it three times. */
__noinline __u32 stack_restore_one(__u32 where, __s32 offset, __u64 cfa)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct unwind_place place = {.offset = offset, .where = where};
	struct unwind_frame frame;
	uint64_t value;
	uint8_t is_known;
	enum unwind_end end;

	if (!state)
		return UNWIND_NOT_READABLE;
	stack_take_frame(state, &frame);
	value = state->restored;
	is_known = state->has_restored;
	end = unwind_restore(&frame, &place, cfa, stack_word_size(state), stack_read_word, state,
			     &value, &is_known);
	state->restored = value;
	state->has_restored = is_known;
	return end;
}

static __always_inline enum unwind_end stack_restore(const struct unwind_frame *frame,
						     const struct unwind_place *place, uint64_t cfa,
						     uint32_t word_size, unwind_read_fn *read,
						     void *context, uint64_t *value,
						     uint8_t *is_known)
{
	struct stack_state *state = context;
	enum unwind_end end;

	state->restored = *value;
	state->has_restored = *is_known;
	end = stack_restore_one(place->where, place->offset, cfa);
	*value = state->restored;
	*is_known = state->has_restored;
	return end;
}

/* Any other rule. */
__noinline __u32 stack_step_long(__u32 number)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct kernel_rule *rule = bpf_map_lookup_elem(&table_rules, &number);
	struct unwind_frame frame;
	enum unwind_end end;

	if (!state || !rule)
		return KERNEL_STACK_NO_RULE;
	stack_take_frame(state, &frame);
	end = unwind_step_with(&frame, (const struct unwind_rule *)rule->whole,
			       stack_word_size(state), stack_read_word, stack_restore, state);
	if (end == UNWIND_NOT_READABLE)
		return KERNEL_STACK_NOT_READABLE;
	if (end != UNWIND_GOES_ON)
		return KERNEL_STACK_NO_RULE;
	state->ip = frame.ip;
	state->sp = frame.sp;
	state->bp = frame.bp;
	state->bx = frame.bx;
	state->has_bp = frame.has_bp;
	state->has_bx = frame.has_bx;
	state->is_exact = frame.is_exact;
	state->is_innermost = 0;
	return 0;
}

/* What the thread calls itself: where its own memory is. */
static __always_inline __u64 stack_thread(void)
{
#if defined(__TARGET_ARCH_x86)
	struct task_struct *task = bpf_get_current_task_btf();

	return BPF_CORE_READ(task, thread.fsbase);
#else
	return 0;
#endif
}

/* From one stack of the thread's to the other, of which the runtime has noted down where it was
 * left. */
__noinline __u32 stack_step_other(__u32 number)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct kernel_rule *kept = bpf_map_lookup_elem(&table_rules, &number);
	const struct unwind_rule *rule;
	__u64 noted, sp;

	if (!state || !kept || state->is_32_bit)
		return KERNEL_STACK_NO_RULE;
	rule = (const struct unwind_rule *)kept->whole;
	if (!stack_fetch(stack_thread() + (__s64)rule->cfa_offset) ||
	    !stack_fetch(state->word + (__s64)rule->saved[0].offset) ||
	    !stack_fetch(state->word + (__s64)rule->saved[1].offset))
		return KERNEL_STACK_NOT_READABLE;
	if (!state->word)
		return KERNEL_STACK_WHOLE;
	noted = state->word + (__s64)rule->saved[2].offset;
	if (!stack_fetch(noted))
		return KERNEL_STACK_NOT_READABLE;
	sp = state->word;
	if (!sp || !stack_fetch(rule->addend ? sp : noted + sizeof(__u64)))
		return KERNEL_STACK_NOT_READABLE;
	state->ip = state->word;
	state->sp = sp + (__s64)rule->addend;
	state->has_bx = 0;
	state->is_exact = 0;
	state->is_innermost = 0;
	return 0;
}
