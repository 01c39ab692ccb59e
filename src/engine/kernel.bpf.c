// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The histogram, kept where the clock ticks.  At a tick the interrupted address becomes a cell's
 * key, the cell gets one more, and nothing else remains of the tick. */
#include <stdbool.h>
#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/errno.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"
#include "kernel_types.bpf.h"
#include "kernel_vma.bpf.h"
#include "kernel_file.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Set before the object is loaded. */
const volatile bool split_by_process;
const volatile bool split_by_thread;
const volatile bool walk_allowed = true; /* off: a test of the way without the tree of mappings */

/* In the order of histogram/histogram.h's enum unresolved_reason. */
enum unresolved {
	NO_MAPPING,
	MAP_BUSY,
	NO_MEMORY_MAP,
	FILES_FULL,
	CELLS_FULL,
};

/* What a tick stands for; changed by --dither.  (The event's own word for it is not.) */
__u64 period_ns;

struct kernel_file files[KERNEL_FILES];
char path_heap[KERNEL_PATH_HEAP];
__u32 file_count;
__u32 path_heap_used;
__u64 cells_used;

/* The measured tree. */
__u64 tasks_followed;
__u64 tasks_not_followed;
__u64 tasks_freed;
__u64 tasks_surveyed;
__u64 freed_runtime;
__u64 surveyed_runtime;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kernel_member);
} members SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_CELLS_DEFAULT);
	__type(key, struct kernel_cell_key);
	__type(value, __u64);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_FILES);
	__type(key, struct kernel_file_key);
	__type(value, __u32);
} file_numbers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct kernel_task);
} tasks SEC(".maps");

/* One page of one process, and what it was found to be. */
struct cached_page {
	__u64 mm;
	__u64 page;
	__u64 exec_id;
	__u64 base; /* address of a pc in its file is pc - base */
	struct vma_view view;
	__u32 tgid;
	__u32 generation;
	__u32 file;
	__u32 uses_left; /* where the generation is not exact */
};

#define CACHED_PAGES 128 /* a power of two; the whole of a CPU's state stays below 32 KiB */
#define INEXACT_USES 16

struct cpu_state {
	struct kernel_counters counters;
	struct kernel_file_key key;
	struct vma_view view;
	struct maple_node_range node;
	struct cached_page pages[CACHED_PAGES];
	struct path_walk path;
};

/* Where a tick is charged: what becomes a cell's key. */
struct place {
	__u64 address;
	__u32 file; /* a file's number or an enum kernel_space */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu_state);
} cpus SEC(".maps");

struct tick {
	struct bpf_perf_event_data *event;
	struct task_struct *task;
	struct cpu_state *cpu;
	__u64 pc;
	__u64 mm;
	__u64 exec_id;
	__u32 tgid;
	__u32 tid;
};

static __always_inline void unresolved(struct tick *tick, enum unresolved reason)
{
	tick->cpu->counters.unresolved[reason]++;
}

static __always_inline struct kernel_file *file_of(__u32 number)
{
	return &files[number & (KERNEL_FILES - 1)];
}

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

static __always_inline void file_take_path(struct cpu_state *cpu, struct kernel_file *slot,
					   __u64 file)
{
	struct path_walk *walk = &cpu->path;
	struct path_context context = {walk};
	__u32 length, at;

	walk->position = KERNEL_PATH_MAX - 1;
	path_of_file(file, walk);
	bpf_loop(256, path_step, &context, 0);
	if (walk->position >= KERNEL_PATH_MAX)
		return;
	length = KERNEL_PATH_MAX - 1 - walk->position;
	at = __sync_fetch_and_add(&path_heap_used, length);
	if (!length || at > KERNEL_PATH_HEAP - KERNEL_PATH_MAX)
		return;
	/* The heap's end is out of reach by the test above: the mask only tells the verifier so. */
	bpf_probe_read_kernel(&path_heap[at & (KERNEL_PATH_HEAP - 1)],
			      length & (KERNEL_PATH_MAX - 1),
			      &walk->text[walk->position & (KERNEL_PATH_MAX - 1)]);
	slot->path_offset = at;
	slot->path_length = length;
}

/* The number of a file, a new one at first sight; KERNEL_FILES when there is none left.
 * This and vma_walk() are global functions, so that the verifier looks at them once and not once
 * for every way that leads here: it halves the time a measurement needs to begin. */
__noinline __u32 file_number(__u64 file)
{
	__u32 *known, number, zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	struct kernel_file *slot;

	if (!cpu)
		return KERNEL_FILES;
	file_key(file, &cpu->key);
	known = bpf_map_lookup_elem(&file_numbers, &cpu->key);
	if (known)
		return *known;
	if (file_count >= KERNEL_FILES)
		return KERNEL_FILES;
	number = __sync_fetch_and_add(&file_count, 1);
	if (number >= KERNEL_FILES)
		return KERNEL_FILES;
	slot = file_of(number);
	slot->key = cpu->key;
	slot->build_id_tries = KERNEL_BUILD_ID_TRIES;
	file_take_path(cpu, slot, file);
	if (!bpf_map_update_elem(&file_numbers, &cpu->key, &number, BPF_NOEXIST)) {
		slot->flags |= KERNEL_FILE_USED;
		return number;
	}
	/* Two CPUs saw it first at once: the other one's number stands, ours stays unused. */
	known = bpf_map_lookup_elem(&file_numbers, &cpu->key);
	return known ? *known : KERNEL_FILES;
}

/* The mapping at PC by the map's own tree, or 0. */
__noinline __u64 vma_walk(__u64 mm, __u64 pc)
{
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);

	return cpu ? maple_walk(mm, pc, &cpu->node) : 0;
}

static __always_inline __u32 vdso_space(struct tick *tick)
{
#if defined(__TARGET_ARCH_x86)
	/* Linux's 32-bit user code segment; 64-bit code runs in 0x33. */
	if (tick->event->regs.cs == 0x23)
		return KERNEL_SPACE_VDSO32;
#endif
	return KERNEL_SPACE_VDSO;
}

/* What PAGE's mapping, just looked at in VIEW, is.  False: the file table is full. */
static __always_inline bool page_identify(struct tick *tick, struct cached_page *page)
{
	struct mm_struct *map = (void *)tick->mm;
	struct vma_view *view = &tick->cpu->view;
	struct file *file = (void *)view->file;
	struct inode *exe;

	if (!file) {
		bool vdso = view->start == (__u64)BPF_CORE_READ(map, context.vdso);

		page->file = vdso ? vdso_space(tick) : KERNEL_SPACE_ANONYMOUS;
		page->base = vdso ? view->start : 0;
		return true;
	}
	page->file = file_number((__u64)file);
	if (page->file >= KERNEL_FILES)
		return false;
	page->base = view->start - (view->page_offset << 12);
	exe = BPF_CORE_READ(map, exe_file, f_inode);
	if (exe == BPF_CORE_READ(file, f_inode))
		file_of(page->file)->flags |= KERNEL_FILE_PROGRAM;
	return true;
}

/* Fill the CPU's view with the mapping at the pc, or say why not. */
static __always_inline bool look_up(struct tick *tick, enum unresolved *ret_reason)
{
	struct cpu_state *cpu = tick->cpu;
	struct vma_view *view = &cpu->view;
	struct vma_view found = {}; /* the helper hands only stack memory to its callback */
	long error;

	if (walk_allowed && bpf_core_type_exists(struct maple_tree)) {
		__u64 vma = vma_walk(tick->mm, tick->pc);

		cpu->counters.vma_walks++;
		if (vma_look(vma, view) && vma_holds(view, tick->mm, tick->pc))
			return true;
	}
	/* The map was changing under the walk, or nothing is there: ask under the lock. */
	cpu->counters.vma_finds++;
	error = bpf_find_vma(tick->task, tick->pc, vma_found, &found, 0);
	*view = found;
	*ret_reason = error && error != -ENOENT ? MAP_BUSY : NO_MAPPING;
	return !error && vma_holds(view, tick->mm, tick->pc);
}

/* A mapping that has not been locked for writing since it was looked at is what it was. */
static __always_inline bool page_unchanged(struct tick *tick, struct cached_page *page)
{
	struct vma_view *view = &tick->cpu->view;

	if (!bpf_core_field_exists(((struct vm_area_struct___locked *)0)->vm_lock_seq))
		return false;
	vma_look(page->view.vma, view);
	return vma_holds(view, tick->mm, tick->pc) && view->lock_seq == page->view.lock_seq &&
	       view->file == page->view.file && view->start == page->view.start &&
	       view->page_offset == page->view.page_offset;
}

static __always_inline bool page_fresh(struct tick *tick, struct cached_page *page,
				       __u32 generation, bool exact)
{
	if (page->mm != tick->mm || page->page != tick->pc >> 12 || page->tgid != tick->tgid ||
	    page->exec_id != tick->exec_id)
		return false;
	if (page->generation == generation) {
		if (exact)
			return true;
		if (page->uses_left) {
			page->uses_left--;
			return true;
		}
		return false;
	}
	if (!exact || !page_unchanged(tick, page))
		return false;
	page->generation = generation;
	return true;
}

static __always_inline struct cached_page *page_slot(struct tick *tick)
{
	__u64 page = tick->pc >> 12;
	__u32 slot = page ^ page >> 7 ^ tick->mm >> 6 ^ tick->mm >> 13;

	return &tick->cpu->pages[slot & (CACHED_PAGES - 1)];
}

/* Find out what PAGE is and keep it; false, with the reason, when it cannot be told. */
static __always_inline bool page_fill(struct tick *tick, struct cached_page *page, __u32 generation,
				      bool exact, enum unresolved *ret_reason)
{
	tick->cpu->counters.cache_misses++;
	page->mm = 0;
	if (!look_up(tick, ret_reason))
		return false;
	*ret_reason = FILES_FULL;
	if (!page_identify(tick, page))
		return false;
	page->page = tick->pc >> 12;
	page->tgid = tick->tgid;
	page->exec_id = tick->exec_id;
	page->generation = generation;
	page->uses_left = INEXACT_USES;
	page->view = tick->cpu->view;
	/* A mapping that is locked for writing right now may change without a trace. */
	if (!exact || page->view.lock_seq != generation)
		page->mm = tick->mm;
	return true;
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

/* A file's build-id, while it is mapped: it may be deleted or built anew before anybody reads the
 * profile.  The helper reads it from the page cache if the page is there and the map's lock is
 * free; hence a few tries, one a tick. */
static __always_inline void take_build_id(struct tick *tick, struct kernel_file *file)
{
	struct bpf_stack_build_id frame = {};

	file->build_id_tries--;
	if (bpf_get_stack(tick->event, &frame, sizeof(frame),
			  BPF_F_USER_STACK | BPF_F_USER_BUILD_ID) != sizeof(frame))
		return;
	if (frame.status != BPF_STACK_BUILD_ID_VALID)
		return;
	file->build_id_tries = 0;
	__builtin_memcpy(file->build_id, frame.build_id, KERNEL_BUILD_ID_MAX);
	file->build_id_size = KERNEL_BUILD_ID_MAX;
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
	if (member->runtime_before == KERNEL_RUNTIME_NOW)
		member->runtime_before = task->se.sum_exec_runtime;
	surveyed_runtime += task->se.sum_exec_runtime - member->runtime_before;
	tasks_surveyed++;
	return 0;
}
