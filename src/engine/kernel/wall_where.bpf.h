/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where a thread stopped running: its stack, walked as often as the budget lets. */

#define WALL_SAMPLING_MOST 10

/* Whether the stack may be walked, and as one of how many.  The weight is drawn anew each time, or
 * a program that does two things in turn would be seen at one of them.  What a thread has not done
 * lately is walked first. */
static __always_inline bool wall_may_walk(struct kernel_life *life, struct wall_cpu *cpu, __u64 now)
{
	__u64 window = now >> WALL_WINDOW_SHIFT;
	struct kernel_recent_wait *recent;

	if (cpu->window != window) {
		cpu->window = window;
		cpu->walks = cpu->waker_walks = 0;
	}
	if (life->window != window) {
		life->window = window;
		if (life->sampling && !life->raised)
			life->sampling--;
		life->raised = false;
	}
	if ((now * STACK_WEIGHT >> 40) & ((1u << (life->sampling & 31)) - 1)) {
		recent = wall_recent(life, /* blocked= */ true);
		if (!life->sited || (recent->known && wall_is_alike(recent, life)) ||
		    cpu->walks >= 2 * wall_budget)
			return false;
		cpu->walks++;
		return true;
	}
	if (cpu->walks < wall_budget) {
		cpu->walks++;
		return true;
	}
	if (!life->raised && life->sampling < WALL_SAMPLING_MOST)
		life->sampling++;
	life->raised = true;
	return false;
}

/* Walk the stack of TASK, which is the CPU's own: at a switch until it is over.  Switches and
 * wake-ups come with interrupts off: no tick can be in the middle of a walk, nor come into this
 * one. */
static __noinline struct stack_state *wall_walk(struct task_struct *task)
{
	struct stack_walk walk = {};
	struct stack_state *state;
	struct tick tick = {};
	__u32 zero = 0;

	wall_tick(task, &tick);
	state = walk.state = bpf_map_lookup_elem(&stacks, &zero);
	if (!state || !tick.cpu)
		return NULL;
	stack_clear(state);
	state->end = stack_entry(&tick, state);
	stack_climb(&walk);
	call_weigh(state);
	context_find(&walk);
	return state;
}

static __always_inline void wall_take_walk(struct task_struct *task, struct kernel_life *life)
{
	struct stack_state *state = wall_walk(task);

	if (!state)
		return;
	life->context = state->context;
	life->end = state->end;
	life->walked = true;
}

static __always_inline void wall_take_context(struct task_struct *task, struct kernel_life *life,
					      struct wall_cpu *cpu, __u64 now)
{
	life->sited = life->state == KERNEL_WALL_BLOCKED && life->site;
	life->end = KERNEL_STACK_NOT_SAMPLED;
	if (life->reason == KERNEL_WALL_GUARDED || (guarded && !guard_allows(task)))
		life->end = KERNEL_STACK_GUARDED;
	else if (task->flags & PF_KTHREAD)
		life->end = KERNEL_STACK_WHOLE;
	else if (wall_may_walk(life, cpu, now))
		wall_take_walk(task, life);
}
