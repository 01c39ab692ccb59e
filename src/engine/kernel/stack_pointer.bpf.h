/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The step of the walk where frame pointers are all there is. */

#define STACK_LARGEST_FRAME (1u << 20) /* a larger one is none */

/* The caller's frame pointer, and behind it where the call returns to. */
static __always_inline int stack_read_frame(const struct stack_state *state, __u64 at, __u64 *frame)
{
	__u32 narrow[2];

	if (!state->is_32_bit)
		return !bpf_probe_read_user(frame, 2 * sizeof(*frame), (void *)at);
	if (bpf_probe_read_user(narrow, sizeof(narrow), (void *)at))
		return 0;
	frame[0] = narrow[0];
	frame[1] = narrow[1];
	return 1;
}

/* Whether CODE begins with mov %rsp,%rbp; or mov %esp,%ebp. */
static __always_inline bool stack_sets_frame(const struct stack_state *state, __u64 code)
{
	if (state->is_32_bit)
		return (code & 0xffff) == 0xe589;
	return (code & 0xffffff) == 0xe58948;
}

struct stack_code {
	__u8 code[UNWIND_CODE_BEFORE];
	__u64 ip;
	int found;
};

static long stack_look_before(__u32 index, struct stack_code *before)
{
	before->found = unwind_before_frame(before->code, index + 1, before->ip);
	return !!before->found;
}

/* By the code before IP, in a file whose walks are judged.  (A loop of the verifier's own would
 * take it a third of all its time.) */
static __always_inline bool stack_is_before_frame(__u64 ip)
{
	struct stack_code before = {.ip = ip};

	if (bpf_probe_read_user(before.code, sizeof(before.code),
				(void *)(ip - sizeof(before.code))))
		return false;
	if (unwind_has_given_back(before.code))
		return true;
	bpf_loop(UNWIND_CODE_BEFORE - 1, stack_look_before, &before, 0);
	return before.found > 0;
}

/* By frame pointers.  In an innermost function's first instructions, and at its last, the caller's
 * frame pointer is still or again the one there is.  JUDGED: such a guess is looked at later. */
__noinline __u32 stack_step_bp(__u32 most, __u32 judged)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	__u64 code = 0, frame[2];
	__u64 at, word;

	if (!state || !state->has_bp)
		return KERNEL_STACK_NO_RULE;
	at = state->bp;
	word = stack_word_size(state);
	if (state->is_exact && !bpf_probe_read_user(&code, sizeof(code), (void *)(state->ip - 1))) {
		__u8 now = code >> 8;

		if (now == 0x55 || now == 0xc3 || ((code >> 8) & 0xfeffffff) == 0xfa1e0ff3)
			at = state->sp - word; /* push %rbp, ret, endbr64 or endbr32 */
		else if ((__u8)code == 0x55 && stack_sets_frame(state, code >> 8))
			at = state->sp;
		else if (judged && stack_is_before_frame(state->ip))
			at = state->sp - word;
	}
	if (at + word < state->sp || at - state->sp + word > most || at % word)
		return KERNEL_STACK_NO_RULE;
	if (!stack_read_frame(state, at, frame))
		return KERNEL_STACK_NOT_READABLE;
	if (at + word != state->sp)
		state->bp = frame[0];
	state->ip = frame[1];
	state->sp = at + 2 * word;
	state->has_bx = 0;
	state->is_exact = 0;
	state->is_innermost = 0;
	return state->ip ? 0 : KERNEL_STACK_NO_RULE;
}
