/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where a thread stopped running: its stack, walked as often as the budget lets. */

#define WALL_SAMPLING_MOST 10

/* Of what is so far behind its beginning, all is the scheduler's or has called it: profil's program
 * and what the kernel has called it by are elsewhere. */
#define WALL_SCHEDULE_SIZE 16384

/* Run once, where waits are to have the kernel's calls. */
SEC("syscall")
int find_schedule(void *context)
{
	const char name[] = "__schedule";
	__u64 address = 0;

	if (!bpf_kallsyms_lookup_name(name, sizeof(name), 0, &address))
		wall_schedule = address;
	return 0;
}

/* Whether the stack may be walked, and as one of how many.  The weight is drawn anew each time, or
 * a program that does two things in turn would be seen at one of them.  What a thread has not done
 * lately is walked first; of what is always the same there is less to be learnt. */
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
	if (cpu->walks <
	    (life->steady < WALL_STEADY ? wall_budget : wall_budget / WALL_STEADY_PART + 1)) {
		cpu->walks++;
		return true;
	}
	if (!life->raised && life->sampling < WALL_SAMPLING_MOST)
		life->sampling++;
	life->raised = true;
	return false;
}

/* The kernel's own calls, from the one on that has called the scheduler. */
static long wall_kernel_step(__u32 index, struct stack_walk *walk)
{
	__u64 address = walk->state->kernel[index & (STACK_KERNEL_FRAMES - 1)];

	if (walk->waits)
		return call_keep(walk->state, address, KERNEL_SPACE_KERNEL, 0, 0, 0) ? 0 : 1;
	walk->waits = address - wall_schedule < WALL_SCHEDULE_SIZE;
	return 0;
}

static __always_inline void wall_kernel(void *switching, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	long size = bpf_get_stack(switching, state->kernel, sizeof(state->kernel), 0);

	if (size > 0)
		bpf_loop((__u32)size / sizeof(__u64), wall_kernel_step, walk, 0);
}

/* Walk the stack of TASK, which is the CPU's own: at a switch until it is over.  Switches and
 * wake-ups come with interrupts off: no tick can be in the middle of a walk, nor come into this
 * one.  SWITCHING is the program's context where the kernel's calls are to be kept, too. */
static __noinline struct stack_state *wall_walk(struct task_struct *task, void *switching)
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
	if (switching && wall_schedule)
		wall_kernel(switching, &walk);
	state->end = stack_entry(&tick, state);
	stack_climb(&walk);
	call_weigh(state);
	context_find(&walk);
	return state;
}

static __always_inline void wall_take_walk(struct task_struct *task, struct kernel_life *life,
					   void *switching)
{
	struct stack_state *state =
		wall_walk(task, life->state == KERNEL_WALL_BLOCKED ? switching : NULL);

	if (!state)
		return;
	life->context = state->context;
	life->end = state->end;
	life->walked = true;
}

static __always_inline void wall_take_context(struct task_struct *task, struct kernel_life *life,
					      struct wall_cpu *cpu, void *switching, __u64 now)
{
	life->sited = life->state == KERNEL_WALL_BLOCKED && life->site;
	life->end = KERNEL_STACK_NOT_SAMPLED;
	if (life->reason == KERNEL_WALL_GUARDED || (guarded && !guard_allows(task)))
		life->end = KERNEL_STACK_GUARDED;
	else if (task->flags & PF_KTHREAD)
		life->end = KERNEL_STACK_WHOLE;
	else if (wall_may_walk(life, cpu, now))
		wall_take_walk(task, life, switching);
}
