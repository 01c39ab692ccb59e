/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Why a thread does not run. */

/* include/linux/sched.h, which has had them so for long. */
#define TASK_UNINTERRUPTIBLE 0x2u
#define TASK_STOPPED 0x4u
#define TASK_TRACED 0x8u
#define TASK_DEAD 0x80u
#define TASK_WAKEKILL 0x100u
#define TASK_NOLOAD 0x400u

#define TS_COMPAT 0x2u /* x86's thread_info.h: in a system call of i386 */
#define RESTART_SYSCALL 219
#define RESTART_SYSCALL_32 0
#define SCHED_YIELD 24
#define SCHED_YIELD_32 158

/* The system call that TASK is in, or that it is in none.  And LIFE's site, which tells one of a
 * thread's waits from another, most often: where it entered the kernel, how deep its stack is, and
 * what for (a file, a lock). */
static __always_inline __u16 wall_call(struct task_struct *task, struct kernel_life *life)
{
#if defined(__TARGET_ARCH_x86)
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);
	long number = regs->orig_rax;
	bool narrow = task->thread_info.status & TS_COMPAT;

	if (wall_stacks)
		life->site =
			((regs->rip ^ regs->rsp << 20) * STACK_WEIGHT ^ regs->rdi) * STACK_WEIGHT >>
			32;
	if (number < 0 || number >= KERNEL_WALL_OTHERS)
		return KERNEL_WALL_PAGE_FAULT;
	if (number == (narrow ? RESTART_SYSCALL_32 : RESTART_SYSCALL) && life->call)
		return life->call;
	life->call = number | (narrow ? KERNEL_WALL_32_BIT : 0);
	return life->call;
#else
	return KERNEL_WALL_NOT_KNOWN;
#endif
}

static __always_inline __u16 wall_why_blocked(struct task_struct *task, struct kernel_life *life,
					      __u32 state)
{
	__u16 reason;

	if (state & TASK_STOPPED)
		return KERNEL_WALL_STOPPED;
	if (state & TASK_TRACED)
		return KERNEL_WALL_TRACED;
	if (task->flags & PF_KTHREAD)
		return KERNEL_WALL_KERNEL_THREAD;
	if (task->flags & PF_EXITING)
		return KERNEL_WALL_EXITING;
	if (guarded && !guard_allows(task))
		return KERNEL_WALL_GUARDED;
	reason = wall_call(task, life);
	if (BPF_CORE_READ_BITFIELD(task, in_iowait))
		return reason | KERNEL_WALL_DISK;
	if (state & TASK_UNINTERRUPTIBLE && !(state & (TASK_WAKEKILL | TASK_NOLOAD)))
		return reason | KERNEL_WALL_UNINTERRUPTIBLE;
	return reason;
}

/* On the way back to the program a thread that is to make room looks as one that yields. */
static __always_inline __u16 wall_why_queued(struct task_struct *task, struct kernel_life *life,
					     bool preempted)
{
	__u16 call;

	if (bpf_core_field_exists(task->throttled) && task->throttled)
		return KERNEL_WALL_THROTTLED;
	if (preempted || task->flags & PF_KTHREAD)
		return KERNEL_WALL_PREEMPTED;
	call = wall_call(task, life);
	return call == SCHED_YIELD || call == (SCHED_YIELD_32 | KERNEL_WALL_32_BIT)
		       ? KERNEL_WALL_YIELDED
		       : KERNEL_WALL_PREEMPTED;
}

/* Off the run queue: most often it stays there for a while, to be taken off later. */
static __always_inline bool wall_is_blocked(struct task_struct *task)
{
	if (!task->on_rq)
		return true;
	return bpf_core_field_exists(task->se.sched_delayed) && task->se.sched_delayed;
}
