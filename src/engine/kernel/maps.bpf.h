/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Everything the counting program remembers, and what it carries through one tick. */

/* Set before the object is loaded. */
const volatile __u32 page_shift = 12;
const volatile __u32 split;	 /* enum kernel_split, or-ed: what cells are kept apart by */
const volatile bool everyone;	 /* all tasks are measured, and what is idle is counted */
const volatile bool hide_kernel; /* the user is not to see the kernel's addresses */
const volatile bool walk_allowed = true; /* off: a test of the way without the tree of mappings */

/* In the order of histogram/histogram.h's enum unresolved_reason. */
enum unresolved {
	NO_MAPPING,
	MAP_BUSY,
	NO_MEMORY_MAP,
	FILES_FULL,
	CELLS_FULL,
};

struct kernel_file files[KERNEL_FILES];
char path_heap[KERNEL_PATH_HEAP];
__u32 file_count;
__u32 path_heap_used;
__u64 cells_used;

/* The measured tree. */
bool enrolling;		    /* whole processes join it */
bool closing;		    /* of everyone: the next survey is the last */
bool counting;		    /* of everyone: from the first survey's first task to the last one's */
__u64 opened_ns, closed_ns; /* when that was, CLOCK_MONOTONIC */
__u32 collector_level;	    /* of profil's pid namespace */
__u64 tasks_followed;
__u64 tasks_not_followed;
__u64 tasks_freed;
__u64 tasks_surveyed;
__u64 processes_running; /* among those, not yet ending */
__u64 freed_runtime;
__u64 exited_runtime;
__u64 surveyed_runtime;

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct kernel_member);
} members SEC(".maps");

/* The numbers of processes that join whole, as the kernel itself has them. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_PROCESSES);
	__type(key, __u32);
	__type(value, __u8);
} processes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, KERNEL_CELLS_DEFAULT);
	__type(key, struct kernel_cell_key);
	__type(value, __u64);
} cells SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KERNEL_RECENT_PARTS);
	__type(key, __u32);
	__type(value, struct kernel_recent);
} recent SEC(".maps");

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

/* By process, where cells are split by it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u32);
	__type(value, struct kernel_title);
} titles SEC(".maps");

/* Where cells are split by CPU or control group: their owners' numbers, from 1 on. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, struct kernel_owner);
	__type(value, __u32);
} owners SEC(".maps");
__u32 owner_count;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct kernel_cgroup);
} cgroups SEC(".maps");

/* One page of one process, and what it was found to be. */
struct cached_page {
	__u64 mm;
	__u64 page;
	__u64 exec_id;
	__u64 base; /* address of a pc in its file is pc - base */
	__u32 tgid;
	__u32 generation;
	__u32 file;
	__u16 uses_left;      /* where the generation is not exact */
	__u16 wants_build_id; /* its file has none yet */
	struct vma_view view;
};

#define EPOCH_KERNEL 1		   /* of the kernel's own addresses, for ever */
#define KERNEL_HIDDEN (1ull << 63) /* stands for each of them where they are hidden */

#define CACHED_PAGES 128 /* a power of two; the whole of a CPU's state stays below 32 KiB */
#define INEXACT_USES 16

struct cpu_state {
	struct kernel_counters counters;
	__u64 mm; /* of the tick in hand: read back from here it is a number, not a pointer */
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
	bool wants_build_id;
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
	__u32 generation;
	__u32 epoch;  /* 0: none */
	bool exact;   /* the generation tells every change */
	bool off_cpu; /* no tick, but what becomes of a thread: no CPU's */
};

static __always_inline void unresolved(struct tick *tick, enum unresolved reason)
{
	tick->cpu->counters.unresolved[reason]++;
}
