/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Threads that are there when they are met, and those that are left in the end. */

/* What a thread seems to be doing when it is met is put right by its first event. */
static __noinline int wall_guess(struct task_struct *task, struct kernel_life *life)
{
	bool blocked = !task->on_cpu && wall_is_blocked(task);

	life->began = life->since = bpf_ktime_get_ns();
	if (blocked)
		life->reason = wall_why_blocked(task, life, task->__state);
	life->state = task->on_cpu ? KERNEL_WALL_RUNNING
		      : blocked	   ? KERNEL_WALL_BLOCKED
				   : KERNEL_WALL_QUEUED;
	return 0;
}

static __noinline int wall_seed(struct task_struct *task)
{
	struct kernel_life *life;

	/* What is dead, and not yet waited for, lives no more. */
	if (task->__state & TASK_DEAD || wall_life(task))
		return 0;
	life = wall_create(task);
	if (!life || life->state != KERNEL_WALL_UNKNOWN)
		return 0;
	life->runtime_began = life->runtime = task->se.sum_exec_runtime;
	if (wall_by_queue) {
		life->delay = task->sched_info.run_delay;
		life->arrivals = task->sched_info.pcount;
	}
	life->reason = KERNEL_WALL_WOKEN;
	life->seeded = true;
	if (!wall_at_event)
		wall_guess(task, life);
	return 0;
}

/* LIFE was last seen to come to a CPU, and is on none. */
static __noinline int wall_left_unseen(struct task_struct *task, struct kernel_life *life)
{
	__u64 now = wall_closed_ns ? wall_closed_ns : bpf_ktime_get_ns();

	wall_repair(task, life, KERNEL_WALL_MISSED_OUT, now);
	if (now > life->since)
		life->since = now;
	life->runtime = task->se.sum_exec_runtime;
	return 0;
}

/* Read by the collector in the end: a struct kernel_life_left each. */
SEC("iter/task")
int lives_left(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct kernel_life *life;
	struct wall_cpu *cpu;
	__u64 runtime, woken = 0;
	__u32 zero = 0;

	if (!task)
		return 0;
	life = wall_life(task);
	if (!life || life->state == KERNEL_WALL_UNKNOWN || life->state == KERNEL_WALL_ENDED)
		return 0;
	if (life->state == KERNEL_WALL_RUNNING && !task->on_cpu && wall_is_blocked(task))
		wall_left_unseen(task, life);
	runtime = task->se.sum_exec_runtime;
	wall_remember(task, life->task);
	bpf_seq_write(context->meta->seq, life, sizeof(*life));
	cpu = bpf_map_lookup_elem(&wall_cpus, &zero);
	if (wall_by_queue && cpu && life->state == KERNEL_WALL_BLOCKED &&
	    task->sched_info.last_queued)
		woken = wall_woken(task, life, cpu, bpf_ktime_get_ns());
	bpf_seq_write(context->meta->seq, &runtime, sizeof(runtime));
	bpf_seq_write(context->meta->seq, &woken, sizeof(woken));
	return 0;
}
