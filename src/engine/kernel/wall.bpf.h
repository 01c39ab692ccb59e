/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The account of all time: what each measured thread is doing, and since when.  Switches and
 * wake-ups move it from state to state, and each time that it leaves one, the time goes to the sums
 * of the thread and, of a wait, to its cell.  No event is kept.  What does not fit together (an
 * event never came) is put right where it is seen, counted by its kind, and the time in which that
 * must have happened is "not accounted". */

/* Set before the object is loaded. */
const volatile bool wall_stacks; /* waits are kept apart by who called, too */
/* The kernel's own account of the queue says when a thread was woken: there is no program that is
 * told. */
const volatile bool wall_by_queue;
const volatile bool wakers;	   /* who wakes is asked, too */
const volatile bool wall_at_event; /* lives that are met begin at their first event */
const volatile __u32 wall_budget;  /* walks in a window */
const volatile __u32 wall_drop;	   /* for tests: one in so many switches is not seen; 0: none */

__u64 wall_base_ns;   /* the account begins; 0: with the first event */
__u64 wall_closed_ns; /* and ends: what happens later is nothing to it */
__u64 wall_schedule;  /* where __schedule() begins; 0: not known, or not to be seen */

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kernel_life);
} lives SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, struct kernel_wait_key);
	__type(value, struct kernel_wait);
} waits SEC(".maps");

/* What found that table full, by reason; and of blocked threads, all reasons further on. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KERNEL_WAIT_KINDS *KERNEL_WALL_REASONS);
	__type(key, __u32);
	__type(value, struct kernel_wait);
} waits_full SEC(".maps");

/* Lives that have ended, by whose they were.  0 is there from the start. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_wall_sums);
} lives_ended SEC(".maps");

struct wall_cpu {
	__u64 last;		  /* the task that came to it last; 0: not known */
	__u64 window;		  /* of the budget, */
	__u32 walks, waker_walks; /* and what it has had: of who waits, of who wakes */
	__u64 sp;		  /* of who wakes: read back from here it is a number */
	__u32 measured;		  /* a measured thread is on it */
	__s64 offset;		  /* from its clock to CLOCK_MONOTONIC, */
	__u64 offset_at;	  /* as of then; 0: not known */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wall_cpu);
} wall_cpus SEC(".maps");

static __always_inline void wall_note(enum kernel_wall_fact fact, __u64 more)
{
	__u32 zero = 0;
	struct kernel_wall_all *all = bpf_map_lookup_elem(&wall_all, &zero);

	if (all)
		__sync_fetch_and_add(&all->facts[fact], more);
}

/* From THEN to NOW.  Clocks of two CPUs may differ by less than they tick. */
static __always_inline __u64 wall_between(__u64 then, __u64 now)
{
	if (now >= then)
		return now - then;
	wall_note(KERNEL_WALL_BACKWARDS, 1);
	return 0;
}

/* ---- whose ---- */

static __always_inline void wall_tick(struct task_struct *task, struct tick *ret_tick)
{
	__u32 zero = 0;

	ret_tick->task = task;
	ret_tick->tgid = (__u32)task->tgid;
	ret_tick->tid = (__u32)task->pid;
	ret_tick->cpu = bpf_map_lookup_elem(&cpus, &zero);
	ret_tick->off_cpu = true;
}

/* A thread is on one CPU and on another: it is nobody's where cells are split by them alone. */
static __always_inline __u32 wall_task(struct tick *tick)
{
	struct place nowhere = {};

	if (split == KERNEL_SPLIT_CPU)
		return 0;
	return cell_task(tick, &nowhere);
}

/* What its name is by now. */
static __noinline int wall_remember(struct task_struct *task, __u32 number)
{
	struct place nowhere = {};
	struct tick tick = {};

	wall_tick(task, &tick);
	if (number && tick.cpu)
		owner_remember(&tick, &nowhere, number);
	return 0;
}

/* ---- sums ---- */

static __always_inline void wall_add(struct kernel_wait *wait, const struct kernel_wait *more)
{
	if (more->count) {
		__sync_fetch_and_add(&wait->ns, more->ns);
		__sync_fetch_and_add(&wait->count, more->count);
	}
	if (more->alike_count) {
		__sync_fetch_and_add(&wait->alike_ns, more->alike_ns);
		__sync_fetch_and_add(&wait->alike_count, more->alike_count);
	}
	if (more->rest_count) {
		__sync_fetch_and_add(&wait->rest_ns, more->rest_ns);
		__sync_fetch_and_add(&wait->rest_count, more->rest_count);
	}
}

/* MORE of what has KEY. */
static __noinline int wall_add_to(const struct kernel_wait_key *key, const struct kernel_wait *more)
{
	struct kernel_wait *wait = bpf_map_lookup_elem(&waits, key);
	__u32 at = key->reason & (KERNEL_WALL_REASONS - 1);

	if (!wait) {
		if (!bpf_map_update_elem(&waits, key, more, BPF_NOEXIST))
			return 0;
		wait = bpf_map_lookup_elem(&waits, key); /* another CPU was first */
	}
	if (!wait) {
		at += key->kind * KERNEL_WALL_REASONS;
		wait = bpf_map_lookup_elem(&waits_full, &at);
	}
	if (wait)
		wall_add(wait, more);
	return 0;
}

/* Add a recent wait to its cell; its place is free then. */
static __noinline int wall_spill(const struct kernel_life *life, struct kernel_recent_wait *recent,
				 bool blocked)
{
	struct kernel_wait_key key = {.task = life->task, .reason = recent->reason};
	struct kernel_wait more = {};

	key.kind = blocked;
	key.end = recent->end;
	if (recent->known == KERNEL_SITE_KNOWN) {
		key.context = recent->context;
		more.alike_ns = recent->ns;
		more.alike_count = recent->count;
	} else {
		more.ns = recent->ns;
		more.count = recent->count;
	}
	if (recent->count)
		wall_add_to(&key, &more);
	recent->ns = 0;
	recent->count = 0;
	recent->known = KERNEL_SITE_UNKNOWN;
	recent->longest = 0;
	return 0;
}

static __always_inline void wall_spill_all(struct kernel_life *life)
{
	for (int i = 0; i < WALL_RECENT; i++) {
		wall_spill(life, &life->recent[0][i], /* blocked= */ false);
		wall_spill(life, &life->recent[1][i], /* blocked= */ true);
	}
}

static __noinline int wall_charge_walked(const struct kernel_life *life, bool blocked, __u64 ns)
{
	struct kernel_wait_key key = {
		.context = life->context, .task = life->task, .reason = life->reason};
	struct kernel_wait more = {.ns = ns, .count = 1};

	key.kind = blocked;
	key.end = life->end;
	more.rest_count = (1ull << (life->sampling & 31)) - 1;
	more.rest_ns = ns * more.rest_count;
	wall_add_to(&key, &more);
	return 0;
}

static __noinline int wall_charge_long(const struct kernel_life *life, bool blocked, __u64 ns)
{
	struct kernel_wait_key key = {.task = life->task, .reason = life->reason};
	struct kernel_wait more = {.ns = ns, .count = 1};

	key.kind = blocked;
	key.end = WALL_LONG;
	wall_add_to(&key, &more);
	return 0;
}

static __always_inline struct kernel_recent_wait *wall_recent(struct kernel_life *life,
							      bool blocked)
{
	return &life->recent[blocked][(life->site + life->reason) & (WALL_RECENT - 1)];
}

static __always_inline bool wall_is_alike(const struct kernel_recent_wait *recent,
					  const struct kernel_life *life)
{
	return recent->reason == life->reason && recent->site == life->site;
}

/* Whether a walk has said what was known before of the places where LIFE waits. */
static __always_inline void wall_note_steady(struct kernel_life *life,
					     const struct kernel_recent_wait *recent)
{
	if (!life->sited || recent->known != KERNEL_SITE_KNOWN || recent->context != life->context)
		life->steady = 0;
	else if (life->steady < WALL_STEADY)
		life->steady++;
}

/* What a wait that was walked, and took NS, says of those that are not. */
static __always_inline void wall_learn(struct kernel_life *life, struct kernel_recent_wait *recent,
				       bool blocked, __u64 ns)
{
	if (life->longest[blocked] < ns)
		life->longest[blocked] = ns;
	if (recent->longest < ns)
		recent->longest = ns;
	/* It may get further next time. */
	if (life->end == KERNEL_STACK_NO_TABLE || life->end == KERNEL_STACK_TREE_GROWING ||
	    life->end == KERNEL_STACK_BUSY)
		return;
	if (blocked)
		wall_note_steady(life, recent);
	if (!life->sited || (recent->known && recent->context != life->context)) {
		recent->known = KERNEL_SITE_MIXED;
		recent->end = KERNEL_STACK_NOT_SAMPLED;
	} else if (!recent->known) {
		recent->known = KERNEL_SITE_KNOWN;
		recent->context = life->context;
		recent->end = life->end;
	}
}

/* NS of what LIFE waited for is over. */
static __always_inline void wall_charge(struct kernel_life *life, bool blocked, __u64 ns)
{
	struct kernel_recent_wait *recent = wall_recent(life, blocked);
	__u64 longest = recent->longest;

	if (!wall_is_alike(recent, life) || recent->count == ~0u) {
		wall_spill(life, recent, blocked);
		recent->reason = life->reason;
		recent->site = life->site;
		recent->end = life->end;
	}
	if (life->walked) {
		wall_learn(life, recent, blocked, ns);
		wall_charge_walked(life, blocked, ns);
		return;
	}
	if (recent->known != KERNEL_SITE_KNOWN)
		longest = life->longest[blocked];
	if (life->end == KERNEL_STACK_NOT_SAMPLED && ns > WALL_LONGER * longest) {
		wall_charge_long(life, blocked, ns);
		return;
	}
	recent->ns += ns;
	recent->count++;
}

static __always_inline void wall_add_sums(struct kernel_wall_sums *to,
					  const struct kernel_wall_sums *more)
{
	__sync_fetch_and_add(&to->threads, 1);
	__sync_fetch_and_add(&to->lifetime, more->lifetime);
	__sync_fetch_and_add(&to->running, more->running);
	__sync_fetch_and_add(&to->queued, more->queued);
	__sync_fetch_and_add(&to->blocked, more->blocked);
	__sync_fetch_and_add(&to->unaccounted, more->unaccounted);
	__sync_fetch_and_add(&to->unseen, more->unseen);
}

static __always_inline void wall_note_residue(__s64 residue, __u64 lifetime)
{
	__u64 size = residue < 0 ? -residue : residue;

	if (size)
		wall_note(residue < 0 ? KERNEL_WALL_OVER : KERNEL_WALL_UNDER, size);
	if (kernel_life_is_outside(size, lifetime))
		wall_note(KERNEL_WALL_OUTSIDE, 1);
}

/* Its last switch. */
static __noinline int wall_end(struct task_struct *task, struct kernel_life *life, __u64 now)
{
	struct kernel_wall_sums sums = {}, *to;
	__u32 number = life->task, nobody = 0;
	__s64 residue = kernel_life_sum(life, now, task->se.sum_exec_runtime, &sums);

	life->state = KERNEL_WALL_ENDED;
	wall_spill_all(life);
	wall_note_residue(residue, sums.lifetime);
	to = bpf_map_lookup_elem(&lives_ended, &number);
	if (!to && !bpf_map_update_elem(&lives_ended, &number, &sums, BPF_NOEXIST))
		return 0;
	if (!to)
		to = bpf_map_lookup_elem(&lives_ended, &number);
	if (!to)
		to = bpf_map_lookup_elem(&lives_ended, &nobody);
	if (to)
		wall_add_sums(to, &sums);
	return 0;
}

/* ---- how many run at once ---- */

/* So many MORE do, of which there were none to begin with. */
static __noinline int wall_count(int more, __u64 now)
{
	__u32 zero = 0;
	struct kernel_wall_all *all = bpf_map_lookup_elem(&wall_all, &zero);

	if (!all)
		return 0;
	if (!wall_base_ns)
		__sync_val_compare_and_swap(&wall_base_ns, 0, now);
	now = now > wall_base_ns ? now - wall_base_ns : 0;
	for (int i = 0; i < 64; i++) {
		__u64 old = *(volatile __u64 *)&all->now;
		__u64 since = old & ((1ull << WALL_SINCE_BITS) - 1);
		__u64 count = old >> WALL_SINCE_BITS, when = now > since ? now : since;
		__u64 next = (count + more) << WALL_SINCE_BITS | when;

		if (__sync_val_compare_and_swap(&all->now, old, next) != old)
			continue;
		__sync_fetch_and_add(&all->elapsed[count & (KERNEL_WALL_CPUS - 1)], when - since);
		return 0;
	}
	wall_note(KERNEL_WALL_BACKWARDS, 1);
	return 0;
}

/* ---- beginnings ---- */

static __always_inline struct kernel_life *wall_life(struct task_struct *task)
{
	return bpf_task_storage_get(&lives, task, NULL, 0);
}

/* LIFE is all 0 but for what it is given here: it is too large for the stack. */
static __always_inline struct kernel_life *wall_create(struct task_struct *task)
{
	struct kernel_life *life =
		bpf_task_storage_get(&lives, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	struct tick tick = {};

	if (!life) {
		wall_note(KERNEL_WALL_NOT_FOLLOWED, 1);
		return NULL;
	}
	if (wall_stacks)
		life->end =
			task->flags & PF_KTHREAD ? KERNEL_STACK_WHOLE : KERNEL_STACK_NOT_SAMPLED;
	wall_tick(task, &tick);
	if (tick.cpu)
		life->task = wall_task(&tick);
	return life;
}

/* A thread that is made by a measured one. */
static __noinline int wall_bear(struct task_struct *child)
{
	struct kernel_life *life = wall_closed_ns ? NULL : wall_create(child);

	if (!life)
		return 0;
	life->began = life->since = child->start_time;
	life->reason = KERNEL_WALL_IS_NEW;
	life->end = KERNEL_STACK_NONE; /* it has no stack yet */
	life->state = KERNEL_WALL_NEW;
	return 0;
}

#include "wall_why.bpf.h"
#include "wall_where.bpf.h"
#include "wall_wakers.bpf.h"
#include "wall_events.bpf.h"
#include "wall_met.bpf.h"
