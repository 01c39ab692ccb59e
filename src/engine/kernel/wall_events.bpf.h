/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What moves a thread from state to state (wall.bpf.h). */

/* The first event of a thread whose life begins with it. */
static __always_inline void wall_begin(struct task_struct *task, struct kernel_life *life,
				       __u16 state, __u64 now)
{
	life->began = life->since = now;
	life->runtime_began = life->runtime = task->se.sum_exec_runtime;
	life->state = state;
	/* The kernel counts who comes to a CPU when the event of it is over. */
	if (wall_by_queue)
		life->arrivals = task->sched_info.pcount - (state == KERNEL_WALL_RUNNING);
}

/* Between LIFE's last event and NOW is one that was missed.  What CPU time the thread has used
 * since is known. */
static __always_inline void wall_repair(struct task_struct *task, struct kernel_life *life,
					enum kernel_wall_fact fact, __u64 now)
{
	__u64 between = wall_between(life->since, now);
	__u64 ran = task->se.sum_exec_runtime - life->runtime;

	if (ran > between)
		ran = between;
	life->running += ran;
	life->unaccounted += between - ran;
	wall_note(life->seeded ? KERNEL_WALL_SEEDED : fact, 1);
}

/* Whose LIFE is may be another number: of who runs another program all threads end but one, which
 * gets the first one's. */
static __noinline int wall_take_task(struct task_struct *task, struct kernel_life *life)
{
	struct tick tick = {};
	__u32 number;

	wall_tick(task, &tick);
	if (!tick.cpu)
		return 0;
	number = wall_task(&tick);
	if (number != life->task)
		wall_spill_all(life);
	life->task = number;
	return 0;
}

/* What LIFE waited for is over after WAITED. */
static __always_inline void wall_end_wait(struct kernel_life *life, __u64 waited)
{
	life->blocked += waited;
	wall_charge(life, /* blocked= */ true, waited);
	life->reason = KERNEL_WALL_WOKEN;
	life->since += waited;
	life->state = KERNEL_WALL_QUEUED;
}

/* How far the clock of TASK's CPU is behind NOW, which is another one: of late looks at it, the
 * least. The kernel has looked at it just before where a thread blocks, and a while ago where it
 * has woken one.  The other clock may be slowed down or hurried by 500 ppm. */
static __always_inline void wall_set_offset(struct task_struct *task, struct wall_cpu *cpu,
					    __u64 now)
{
	__s64 offset = now - task->se.cfs_rq->rq->clock;
	__s64 most = cpu->offset + (__s64)((now - cpu->offset_at) >> 11);

	cpu->offset = cpu->offset_at && most < offset ? most : offset;
	cpu->offset_at = now;
}

/* When TASK was woken, which LIFE is not told: it has been in the queue since, on one CPU or
 * several, and in none when LIFE left the last one. */
static __always_inline __u64 wall_woken(struct task_struct *task, const struct kernel_life *life,
					struct wall_cpu *cpu, __u64 now)
{
	__u64 before = task->sched_info.run_delay - life->delay;
	__u64 queued = task->sched_info.last_queued;
	__u64 woken = now - before;

	if (queued) {
		wall_set_offset(task, cpu, now);
		woken = queued + cpu->offset - before;
	}
	if (woken > now)
		return now;
	return woken > life->since ? woken : life->since;
}

/* LIFE was seen to leave a CPU, and has come to one just once since: that was not seen, but what it
 * did is known all the same. */
static __noinline int wall_repair_one(struct task_struct *task, struct kernel_life *life, __u64 now)
{
	__u64 between = wall_between(life->since, now);
	__u64 ran = task->se.sum_exec_runtime - life->runtime;
	__u64 queued = task->sched_info.run_delay - life->delay;

	wall_note(KERNEL_WALL_MISSED_IN, 1);
	if (ran > between)
		ran = between;
	if (queued > between - ran || life->state != KERNEL_WALL_BLOCKED)
		queued = between - ran;
	if (life->state == KERNEL_WALL_BLOCKED)
		wall_end_wait(life, between - ran - queued);
	life->running += ran;
	life->queued += queued;
	wall_charge(life, /* blocked= */ false, queued);
	return 0;
}

/* LIFE leaves a CPU that it was last seen to come to.  It has left one and come back between,
 * unseen, where the kernel has counted more than that. */
static __always_inline void wall_ran(struct task_struct *task, struct kernel_life *life, __u64 now)
{
	if (wall_by_queue && task->sched_info.pcount - life->arrivals > 1)
		wall_repair(task, life, KERNEL_WALL_MISSED_OUT, now);
	else
		life->running += wall_between(life->since, now);
}

static __always_inline void wall_leave(struct task_struct *task, struct kernel_life *life,
				       struct wall_cpu *cpu, void *switching, bool preempted,
				       __u32 state, __u64 now)
{
	bool blocked;

	if (life->state == KERNEL_WALL_UNKNOWN)
		wall_begin(task, life, KERNEL_WALL_RUNNING, now);
	if (life->state == KERNEL_WALL_RUNNING)
		wall_ran(task, life, now);
	else if (wall_by_queue && !life->seeded && task->sched_info.pcount - life->arrivals == 1)
		wall_repair_one(task, life, now);
	else
		wall_repair(task, life, KERNEL_WALL_MISSED_IN, now);
	if (now > life->since)
		life->since = now;
	life->runtime = task->se.sum_exec_runtime;
	if (wall_by_queue) {
		life->delay = task->sched_info.run_delay;
		life->arrivals = task->sched_info.pcount;
	}
	life->seeded = false;
	if (split)
		wall_take_task(task, life);
	if (state & TASK_DEAD) {
		wall_end(task, life, now);
		wall_remember(task, life->task);
		return;
	}
	blocked = !preempted && wall_is_blocked(task);
	if (wall_by_queue && blocked)
		wall_set_offset(task, cpu, now);
	life->state = blocked ? KERNEL_WALL_BLOCKED : KERNEL_WALL_QUEUED;
	life->site = 0;
	life->reason = blocked ? wall_why_blocked(task, life, state)
			       : wall_why_queued(task, life, preempted);
	life->walked = false;
	life->context = 0;
	if (switching)
		wall_take_context(task, life, cpu, switching, now);
}

static __always_inline void wall_enter(struct task_struct *task, struct kernel_life *life,
				       struct wall_cpu *cpu, __u64 now)
{
	__u64 waited;

	if (life->state == KERNEL_WALL_UNKNOWN)
		wall_begin(task, life, KERNEL_WALL_QUEUED, now);
	if (wall_by_queue && life->state == KERNEL_WALL_BLOCKED)
		wall_end_wait(life, wall_between(life->since, wall_woken(task, life, cpu, now)));
	if (life->state == KERNEL_WALL_QUEUED || life->state == KERNEL_WALL_NEW) {
		waited = wall_between(life->since, now);
		life->queued += waited;
		wall_charge(life, /* blocked= */ false, waited);
	} else {
		wall_repair(task, life,
			    life->state == KERNEL_WALL_BLOCKED ? KERNEL_WALL_MISSED_WAKE
							       : KERNEL_WALL_MISSED_OUT,
			    now);
		if (wall_by_queue)
			life->arrivals = task->sched_info.pcount;
	}
	if (now > life->since)
		life->since = now;
	life->runtime = task->se.sum_exec_runtime;
	life->seeded = false;
	life->state = KERNEL_WALL_RUNNING;
}

/* The switch, of whom it concerns. */
static __always_inline void wall_switch(struct wall_cpu *cpu, struct kernel_life *next, __u64 now)
{
	bool measured = next;

	if (measured == cpu->measured)
		return;
	cpu->measured = measured;
	wall_count(measured ? 1 : -1, now);
}

/* A switch that did not come is seen at the clock's next tick: from then on it is known who runs.
 * When it came is found out when the thread leaves. */
static __noinline int wall_see(struct task_struct *task)
{
	struct kernel_life *life;
	struct wall_cpu *cpu;
	__u32 zero = 0;

	cpu = bpf_map_lookup_elem(&wall_cpus, &zero);
	if (!cpu || wall_closed_ns || !cpu->last || cpu->last == (__u64)task)
		return 0;
	life = wall_life(task);
	wall_note(KERNEL_WALL_MISSED_SWITCH, 1);
	cpu->last = (__u64)task;
	wall_switch(cpu, life, bpf_ktime_get_ns());
	return 0;
}

static __always_inline int wall_switched(struct task_struct *prev, struct task_struct *next,
					 bool preempt, __u32 state, void *switching)
{
	struct kernel_life *left, *came;
	__u32 zero = 0, concerns;
	struct wall_cpu *cpu;
	__u64 now;

	cpu = bpf_map_lookup_elem(&wall_cpus, &zero);
	if (!cpu || wall_closed_ns || (wall_drop && !(bpf_get_prandom_u32() % wall_drop)))
		return 0;
	/* What is idle has none. */
	left = prev->pid ? wall_life(prev) : NULL;
	came = next->pid ? wall_life(next) : NULL;
	concerns = !!left + !!came + cpu->measured;
	barrier_var(concerns); /* or clang makes an OR of pointers, which the verifier refuses */
	if (cpu->last && cpu->last != (__u64)prev)
		wall_note(KERNEL_WALL_MISSED_SWITCH, 1);
	if (!concerns)
		goto out;
	now = bpf_ktime_get_ns();
	/* First, for the longer after NOW, the more other CPUs may have counted what came later. */
	wall_switch(cpu, came, now);
	if (left && left->state != KERNEL_WALL_ENDED)
		wall_leave(prev, left, cpu, switching, preempt, state, now);
	if (came && came->state != KERNEL_WALL_ENDED)
		wall_enter(next, came, cpu, now);
out:
	cpu->last = (__u64)next;
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int state)
{
	return wall_switched(prev, next, preempt, state, /* switching= */ NULL);
}

/* Loaded in place of the other one where call stacks are counted. */
SEC("tp_btf/sched_switch")
int BPF_PROG(switched_with_stack, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int state)
{
	return wall_switched(prev, next, preempt, state, ctx);
}

static __always_inline void wall_wake(struct task_struct *task, __u16 from)
{
	struct kernel_life *life = wall_life(task);
	__u64 now, waited;

	if (!life || wall_closed_ns)
		return;
	now = bpf_ktime_get_ns();
	if (life->state == KERNEL_WALL_UNKNOWN)
		wall_begin(task, life, KERNEL_WALL_QUEUED, now);
	if (life->state != from)
		return;
	waited = wall_between(life->since, now);
	if (from == KERNEL_WALL_BLOCKED) {
		if (wakers)
			wall_charge_waker(life, waited);
		wall_end_wait(life, waited);
	}
	life->state = KERNEL_WALL_QUEUED;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(woken, struct task_struct *task)
{
	wall_wake(task, KERNEL_WALL_BLOCKED);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(woken_new, struct task_struct *task)
{
	wall_wake(task, KERNEL_WALL_NEW);
	return 0;
}

/* A thread is freed whose last switch never came. */
static __noinline int wall_lose(struct task_struct *task)
{
	struct kernel_life *life = wall_life(task);
	__u64 now = bpf_ktime_get_ns();

	if (!life || wall_closed_ns || life->state == KERNEL_WALL_UNKNOWN ||
	    life->state == KERNEL_WALL_ENDED)
		return 0;
	wall_repair(task, life, KERNEL_WALL_MISSED_OUT, now);
	return wall_end(task, life, now);
}
