// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The histogram, kept where the clock ticks.  At a tick the interrupted address becomes a cell's
 * key, the cell gets one more, and nothing else remains of the tick. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/errno.h>
#include <linux/version.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "python.h"
#include "stacks.h"
#include "unwind/walk.h"
#include "wall.h"
#include "types.bpf.h"
#include "vma.bpf.h"
#include "path.bpf.h"
#include "maps.bpf.h"
#include "file.bpf.h"
#include "page.bpf.h"
#include "guard.bpf.h"
#include "owner.bpf.h"
#include "cells.bpf.h"
#include "stack.bpf.h"
#include "stack_long.bpf.h"
#include "stack_pointer.bpf.h"
#include "context.bpf.h"
#include "wall_share.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline struct kernel_recent_cell *recent_place(__u64 pc, __u32 task)
{
	__u64 mixed = (pc ^ (__u64)task << 20) * 0x9e3779b97f4a7c15ull >> 32;
	__u32 part = mixed / KERNEL_RECENT & (KERNEL_RECENT_PARTS - 1);
	struct kernel_recent *all = bpf_map_lookup_elem(&recent, &part);

	return all ? &all->cells[mixed & (KERNEL_RECENT - 1)] : NULL;
}

/* The shortest way of a tick: where the last one at this pc fell, when nothing has changed. */
static __always_inline bool charge_again(const struct tick *tick)
{
	struct kernel_recent_cell *cell;

	if (split || wall || !tick->epoch)
		return false;
	cell = recent_place(tick->pc, /* task= */ 0);
	if (!cell || cell->pc != tick->pc || cell->epoch != tick->epoch || cell->ticks == ~0u)
		return false;
	cell->ticks++;
	return true;
}

/* Whose the cell is. */
static __always_inline __u32 cell_task(struct tick *tick, const struct place *place)
{
	__u32 by = split, id = by & KERNEL_SPLIT_THREAD ? tick->tid : tick->tgid;

	if (by & (KERNEL_SPLIT_CPU | KERNEL_SPLIT_CGROUP))
		return owner_number(tick, place);
	if (place->file == KERNEL_SPACE_ANONYMOUS)
		return owner_of_code(tick->task, id);
	return by ? id : 0;
}

static __always_inline void charge(struct tick *tick, const struct place *place)
{
	struct kernel_cell_key key = {.address = place->address, .file = place->file};
	struct kernel_recent_cell *cell;

	key.task = cell_task(tick, place);
	if (wall)
		wall_share(&(struct kernel_stack_key){.place = key});
	cell = recent_place(tick->pc, split ? key.task : 0);
	if (!cell)
		return;
	cell->pc = tick->pc;
	cell->epoch = place->wants_build_id ? 0 : tick->epoch;
	if (cell->ticks && cell->ticks != ~0u && same_key(&cell->key, &key)) {
		cell->ticks++;
		return;
	}
	if (cell->ticks)
		spill(tick->cpu, cell);
	else
		tick->cpu->counters.recent_used++;
	cell->key = key;
	cell->ticks = 1;
	if (key.task)
		owner_remember(tick, place, key.task);
}

static __always_inline bool find_user_place(struct tick *tick, struct place *ret_place)
{
	struct cached_page *page = page_slot(tick);
	enum unresolved reason = NO_MAPPING;

	if (!page_fresh(tick, page, tick->generation, tick->exact) &&
	    !page_fill(tick, page, tick->generation, tick->exact, &reason)) {
		unresolved(tick, reason);
		return false;
	}
	if (page->mm != tick->mm) /* it may change without a trace right now */
		tick->epoch = 0;
	ret_place->file = page->file;
	ret_place->address = tick->pc - page->base;
	if (page->wants_build_id)
		page->wants_build_id = file_of(page->file)->build_id_tries;
	ret_place->wants_build_id = page->wants_build_id;
	return true;
}

/* The epoch of the tick's address space: a new one where that is not what it was. */
static __always_inline __u32 epoch_of(struct tick *tick)
{
	struct kernel_context *context = &tick->cpu->counters.context;

	if (context->mm == tick->mm && context->generation == tick->generation &&
	    context->exec_id == tick->exec_id && context->tgid == tick->tgid)
		return context->epoch;
	if (context->epochs == ~0u)
		return 0;
	if (!context->epochs)
		context->epochs = EPOCH_KERNEL;
	context->mm = tick->mm;
	context->generation = tick->generation;
	context->exec_id = tick->exec_id;
	context->tgid = tick->tgid;
	context->epoch = ++context->epochs;
	return context->epoch;
}

/* The task's address space.  False: it has none. */
static __always_inline bool look_at_memory(struct tick *tick)
{
	struct mm_struct *mm = tick->task->mm;

	if (!mm)
		return false;
	tick->cpu->mm = (__u64)mm;
	tick->mm = *(volatile __u64 *)&tick->cpu->mm;
	tick->exec_id = tick->task->self_exec_id;
	tick->generation = mm_generation(mm, &tick->exact);
	return true;
}

/* What the pc's meaning hangs on.  False: it has none. */
static __always_inline bool look_around(struct tick *tick)
{
	/* On every architecture supported the upper half of the address space is the kernel's. */
	if ((__s64)tick->pc < 0) {
		if (hide_kernel)
			tick->pc = KERNEL_HIDDEN;
		tick->epoch = EPOCH_KERNEL;
		return true;
	}
	if (!look_at_memory(tick)) {
		unresolved(tick, NO_MEMORY_MAP);
		return false;
	}
	tick->epoch = tick->exact ? epoch_of(tick) : 0;
	return true;
}

static __always_inline void kernel_place(const struct tick *tick, struct place *ret_place)
{
	ret_place->file = KERNEL_SPACE_KERNEL;
	ret_place->address = hide_kernel ? 0 : tick->pc;
}

static __always_inline bool find_place(struct tick *tick, struct place *ret_place)
{
	if ((__s64)tick->pc >= 0)
		return find_user_place(tick, ret_place);
	kernel_place(tick, ret_place);
	return true;
}

/* Whether the task is measured; where ALL are, nobody is asked.  Its storage is three cache lines
 * away; the answer for the task that ticked last on this CPU, most often the same one, is in the
 * line of the counters. */
static __always_inline bool is_member(struct tick *tick, bool all)
{
	struct kernel_counters *counters = &tick->cpu->counters;
	__u64 id;

	/* As bpf_get_current_pid_tgid() has it, without the call. */
	tick->tgid = (__u32)tick->task->tgid;
	tick->tid = (__u32)tick->task->pid;
	id = (__u64)tick->tgid << 32 | tick->tid;
	if (all)
		return true;
	if (counters->member_task == (__u64)tick->task && counters->member_id == id)
		return true;
	if (!bpf_task_storage_get(&members, tick->task, NULL, 0))
		return false;
	counters->member_task = (__u64)tick->task;
	counters->member_id = id;
	return true;
}

/* Whether the CPU had nothing to run.  An interrupt's work is not the idle task's, though the
 * kernel has no other task for it there: it runs on a stack of its own. */
static __always_inline bool is_idle(struct tick *tick)
{
	/* THREAD_SIZE, for all that CO-RE can know of it: what is idle stands in its last bytes. */
	__u64 size = page_shift > 14 ? 1ull << page_shift : 1ull << 14;

	if (tick->tgid || tick->tid)
		return false;
	return PT_REGS_SP(&tick->event->regs) - (__u64)tick->task->stack < size;
}

/* The tick's place is to be found out.  A function of its own, so that what most ticks go through
 * stays short and together: it is cold at each tick, and costs by its lines. */
static __noinline int find_and_charge(struct tick *tick)
{
	struct place place = {};

	if (!find_place(tick, &place))
		return 0;
	charge(tick, &place);
	if (place.wants_build_id)
		take_build_id(tick, place.file);
	return 0;
}

/* Take the tick, and count it as fired where it is a measured task's.  False: it has no place. */
static __always_inline bool is_to_be_charged(struct tick *tick)
{
	bool all = everyone;
	__u32 zero = 0;

	tick->cpu = bpf_map_lookup_elem(&cpus, &zero);
	if (!tick->cpu || (all && !counting) || !is_member(tick, all))
		return false;
	tick->cpu->counters.fired++;
	if (all && is_idle(tick)) {
		tick->cpu->counters.idle++;
		return false;
	}
	if (guarded && !guard_allows(tick->task)) {
		tick->cpu->counters.guarded++;
		return false;
	}
	tick->pc = PT_REGS_IP(&tick->event->regs);
	return true;
}

SEC("perf_event")
int tick(struct bpf_perf_event_data *event)
{
	struct tick tick = {.event = event, .task = bpf_get_current_task_btf()};

	if (wall)
		wall_see(tick.task);
	if (!is_to_be_charged(&tick) || !look_around(&tick) || charge_again(&tick))
		return 0;
	return find_and_charge(&tick);
}

#include "stack_tick.bpf.h"
#include "wall.bpf.h"

/* A child of a measured task is measured, from its first instruction. */
/* A step of taking a CPU online, or off.  Of those that the CPU does itself, the last on its way up
 * lets tasks onto it. */
SEC("tp_btf/cpuhp_exit")
int BPF_PROG(cpu_came, unsigned int number)
{
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);

	if (cpu && bpf_get_smp_processor_id() == number)
		cpu->counters.came_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	struct kernel_member member = {};

	if (everyone ? !counting : !bpf_task_storage_get(&members, parent, NULL, 0))
		return 0;
	if (wall)
		wall_bear(child);
	if (bpf_task_storage_get(&members, child, &member, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&tasks_followed, 1);
	else
		__sync_fetch_and_add(&tasks_not_followed, 1);
	return 0;
}

/* A task that ends is on no list for a while, and stays so as long as anybody holds it: of
 * everyone, what it has used by now is counted at once, and the little that is left when it is
 * freed. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct *task)
{
	struct kernel_member *member = bpf_task_storage_get(&members, task, NULL, 0);
	__u64 runtime = task->se.sum_exec_runtime;

	if (!member || !counting || member->runtime_before > runtime)
		return 0;
	__sync_fetch_and_add(&exited_runtime, runtime - member->runtime_before);
	member->runtime_before = runtime;
	return 0;
}

/* When the last of a task goes, its CPU time has stopped growing. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(freed, struct task_struct *task)
{
	struct kernel_member *member = bpf_task_storage_get(&members, task, NULL, 0);

	if (!member || member->runtime_before == KERNEL_RUNTIME_COUNTED)
		return 0;
	__sync_fetch_and_add(&freed_runtime, task->se.sum_exec_runtime - member->runtime_before);
	__sync_fetch_and_add(&tasks_freed, 1);
	if (wall)
		wall_lose(task);
	return 0;
}

/* A task of a process that is to be measured whole joins.  The process is known by its first
 * thread, which user space has made a member: what numbers are called within a pid namespace, only
 * user space knows. */
static __always_inline struct kernel_member *enroll(struct task_struct *task,
						    struct kernel_member *member)
{
	struct kernel_member fresh = {.runtime_before = task->se.sum_exec_runtime};
	__u32 process = task->tgid;
	__u8 wanted = 1;

	if (!everyone && member && task->pid == task->tgid)
		bpf_map_update_elem(&processes, &process, &wanted, BPF_ANY);
	if (!member && (everyone || bpf_map_lookup_elem(&processes, &process))) {
		member = bpf_task_storage_get(&members, task, &fresh,
					      BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (member)
			__sync_fetch_and_add(&tasks_followed, 1);
	}
	if (wall && member)
		wall_seed(task);
	return member;
}

static __always_inline void collector_take(void)
{
	struct task_struct *collector = bpf_get_current_task_btf();

	collector_level = BPF_CORE_READ(collector, thread_pid, level);
	path_take_root();
}

/* Ticks of everyone count between two surveys, for CPU time is taken by those: whoever reads them
 * may have to wait for a CPU just before. */
static __always_inline void gate(void)
{
	if (!opened_ns) {
		opened_ns = bpf_ktime_get_ns();
		counting = true;
	} else if (closing && !closed_ns) {
		closed_ns = bpf_ktime_get_ns();
		counting = false;
	}
}

/* Read by the collector, when it wants to know, over all tasks there are. */
SEC("iter/task")
int survey(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct kernel_member *member;

	if (!task)
		return 0;
	if (everyone)
		gate();
	member = bpf_task_storage_get(&members, task, NULL, 0);
	if (enrolling) {
		member = enroll(task, member);
		collector_take(); /* it is profil that reads here */
	}
	if (!member)
		return 0;
	if (member->runtime_before == KERNEL_RUNTIME_NOW)
		member->runtime_before = task->se.sum_exec_runtime;
	surveyed_runtime += task->se.sum_exec_runtime - member->runtime_before;
	tasks_surveyed++;
	if (task->pid == task->tgid && !(task->flags & PF_EXITING))
		processes_running++;
	if (closing)
		member->runtime_before = KERNEL_RUNTIME_COUNTED;
	return 0;
}
