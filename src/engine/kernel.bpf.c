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
#include "kernel_types.bpf.h"
#include "kernel_vma.bpf.h"
#include "kernel_path.bpf.h"
#include "kernel_maps.bpf.h"
#include "kernel_file.bpf.h"
#include "kernel_page.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* The name a cell's task goes by, as of the last new cell. */
static __always_inline void task_remember(struct tick *tick, __u32 id)
{
	struct kernel_task named = {.pid = tick->tgid};
	struct task_struct *task = tick->task;

	if (split_by_thread) {
		named.tid = tick->tid;
		BPF_CORE_READ_STR_INTO(&named.name, task, comm);
	} else {
		BPF_CORE_READ_STR_INTO(&named.name, task, group_leader, comm);
	}
	bpf_map_update_elem(&tasks, &id, &named, BPF_ANY);
}

/* The cell table is full: the file keeps the count without the address. */
static __always_inline void charge_overflow(struct tick *tick, __u32 file)
{
	if (file < KERNEL_FILES)
		__sync_fetch_and_add(&file_of(file)->overflow, 1);
	else
		unresolved(tick, CELLS_FULL);
}

static __always_inline void charge(struct tick *tick, const struct place *place)
{
	struct kernel_cell_key key = {.address = place->address, .file = place->file};
	__u64 one = 1, *count;

	if (split_by_thread)
		key.task = tick->tid;
	else if (split_by_process || place->file == KERNEL_SPACE_ANONYMOUS)
		key.task = tick->tgid;

	count = bpf_map_lookup_elem(&cells, &key);
	if (!count) {
		if (!bpf_map_update_elem(&cells, &key, &one, BPF_NOEXIST)) {
			__sync_fetch_and_add(&cells_used, 1);
			if (key.task)
				task_remember(tick, key.task);
			return;
		}
		/* Another CPU made the same cell meanwhile, or there is no room. */
		count = bpf_map_lookup_elem(&cells, &key);
	}
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		charge_overflow(tick, place->file);
}

static __always_inline bool find_user_place(struct tick *tick, struct place *ret_place)
{
	struct cached_page *page = page_slot(tick);
	enum unresolved reason = NO_MAPPING;
	bool exact;
	__u32 generation = mm_generation(tick->mm, &exact);

	if (!page_fresh(tick, page, generation, exact) &&
	    !page_fill(tick, page, generation, exact, &reason)) {
		unresolved(tick, reason);
		return false;
	}
	ret_place->file = page->file;
	ret_place->address = tick->pc - page->base;
	return true;
}

static __always_inline bool find_place(struct tick *tick, struct place *ret_place)
{
	/* On every architecture supported the upper half of the address space is the kernel's. */
	if ((__s64)tick->pc < 0) {
		ret_place->file = KERNEL_SPACE_KERNEL;
		ret_place->address = tick->pc;
		return true;
	}
	if (!tick->mm) {
		unresolved(tick, NO_MEMORY_MAP);
		return false;
	}
	return find_user_place(tick, ret_place);
}

SEC("perf_event")
int tick(struct bpf_perf_event_data *event)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct tick tick = {.event = event};
	struct place place;
	__u64 pid_tgid;
	__u32 zero = 0;

	if (!bpf_task_storage_get(&members, task, NULL, 0))
		return 0;
	tick.cpu = bpf_map_lookup_elem(&cpus, &zero);
	if (!tick.cpu)
		return 0;
	tick.task = task;
	tick.cpu->counters.fired++;
	tick.cpu->counters.fired_ns += period_ns;
	tick.pc = PT_REGS_IP(&event->regs);
	pid_tgid = bpf_get_current_pid_tgid();
	tick.tgid = pid_tgid >> 32;
	tick.tid = (__u32)pid_tgid;
	tick.exec_id = task->self_exec_id;
	tick.mm = (__u64)BPF_CORE_READ(task, mm);
	if (!find_place(&tick, &place))
		return 0;
	charge(&tick, &place);
	if (place.file < KERNEL_FILES && file_of(place.file)->build_id_tries)
		take_build_id(&tick, file_of(place.file));
	return 0;
}

/* A child of a measured task is measured, from its first instruction. */
SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	struct kernel_member member = {};

	if (!bpf_task_storage_get(&members, parent, NULL, 0))
		return 0;
	if (bpf_task_storage_get(&members, child, &member, BPF_LOCAL_STORAGE_GET_F_CREATE))
		__sync_fetch_and_add(&tasks_followed, 1);
	else
		__sync_fetch_and_add(&tasks_not_followed, 1);
	return 0;
}

/* When the last of a task goes, its CPU time has stopped growing. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(freed, struct task_struct *task)
{
	struct kernel_member *member = bpf_task_storage_get(&members, task, NULL, 0);

	if (!member)
		return 0;
	__sync_fetch_and_add(&freed_runtime, task->se.sum_exec_runtime - member->runtime_before);
	__sync_fetch_and_add(&tasks_freed, 1);
	return 0;
}

/* Read by the collector, when it wants to know, over all tasks there are. */
SEC("iter/task")
int survey(struct bpf_iter__task *context)
{
	struct task_struct *task = context->task;
	struct kernel_member *member;

	if (!task)
		return 0;
	member = bpf_task_storage_get(&members, task, NULL, 0);
	if (!member)
		return 0;
	if (member->runtime_before == KERNEL_RUNTIME_NOW) {
		/* The launch: it is profil that reads here, and nothing ticks yet. */
		member->runtime_before = task->se.sum_exec_runtime;
		path_take_root();
	}
	surveyed_runtime += task->se.sum_exec_runtime - member->runtime_before;
	tasks_surveyed++;
	return 0;
}
