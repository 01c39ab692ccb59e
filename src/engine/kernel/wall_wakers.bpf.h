/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Who ends a wait. */

static __noinline int wall_charge_waker(struct kernel_life *life, __u64 ns)
{
	struct kernel_wait_key key = {.context = life->waker_context, .task = life->waker_task};
	struct kernel_wait more = {.ns = ns, .count = 1};

	key.reason = life->waker_reason ?: life->reason;
	key.kind = KERNEL_WAIT_WAKER;
	key.end = life->waker_end;
	wall_add_to(&key, &more);
	return 0;
}

/* Whether TASK is in a system call, or a thread of the kernel's, and not in an interrupt that came
 * meanwhile.  SP is in the stack that is used: most interrupts have one of their own, and one that
 * has interrupted the program itself is no system call. */
static __always_inline bool wall_is_itself(struct task_struct *task, __u64 sp)
{
#if defined(__TARGET_ARCH_x86)
	__u64 size = 1ull << 14; /* THREAD_SIZE, as in is_idle() */
	struct pt_regs *regs;

	if (!task->pid || sp - (__u64)task->stack >= size)
		return false;
	if (task->flags & PF_KTHREAD)
		return true;
	regs = (void *)bpf_task_pt_regs(task);
	return (long)regs->orig_rax >= 0;
#else
	return false;
#endif
}

/* LIFE's thread is being woken by the task that has the CPU. */
static __always_inline int wall_waking(struct kernel_life *life, __u64 sp)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	struct kernel_life *own = wall_life(waker);
	struct stack_state *state;
	struct wall_cpu *cpu;
	__u32 zero = 0;

	life->waker_context = 0;
	life->waker_task = own ? own->task : 0;
	life->waker_end = KERNEL_STACK_NOT_SAMPLED;
	life->waker_reason = !wall_is_itself(waker, sp)	       ? KERNEL_WALL_INTERRUPT
			     : !own			       ? KERNEL_WALL_ANOTHER
			     : guarded && !guard_allows(waker) ? KERNEL_WALL_GUARDED
							       : 0;
	if (life->waker_reason) {
		life->waker_task = 0;
		life->waker_end = KERNEL_STACK_NONE;
		return 0;
	}
	cpu = bpf_map_lookup_elem(&wall_cpus, &zero);
	if (!cpu || cpu->waker_walks >= wall_budget)
		return 0;
	cpu->waker_walks++;
	state = wall_walk(waker, /* switching= */ NULL);
	if (!state)
		return 0;
	life->waker_context = state->context;
	life->waker_end = state->end;
	return 0;
}

/* Loaded where wakers are asked for: in the context of who wakes.  What it has on the stack is
 * little, or it would have one apart, which says nothing of interrupts. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task)
{
	struct kernel_life *life = wall_life(task);
	struct wall_cpu *cpu;
	__u32 zero = 0;

	if (!life || wall_closed_ns || life->state != KERNEL_WALL_BLOCKED)
		return 0;
	cpu = bpf_map_lookup_elem(&wall_cpus, &zero);
	if (!cpu)
		return 0;
	cpu->sp = (__u64)&zero;
	return wall_waking(life, *(volatile __u64 *)&cpu->sp);
}
