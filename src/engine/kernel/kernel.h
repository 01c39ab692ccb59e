/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the BPF object and the code that reads it agree on.  Included by both; <linux/types.h> only.
 */
#include <linux/types.h>

#define KERNEL_FILES 8192	    /* a power of two */
#define KERNEL_PATH_HEAP (1u << 20) /* bytes for all paths together */
#define KERNEL_PATH_MAX 4096	    /* a power of two */
#define KERNEL_CELLS_DEFAULT 131072u
#define KERNEL_PROCESSES 4096 /* that can be attached to at once */
#define KERNEL_CGROUPS 16384  /* with a name, when cells are split by them */
#define KERNEL_BUILD_ID_MAX 20
#define KERNEL_BUILD_ID_TRIES 8

/* Cells that are in no file have one of these for a file number. */
enum kernel_space {
	KERNEL_SPACE_KERNEL = 0xfffffff0u,
	KERNEL_SPACE_VDSO,
	KERNEL_SPACE_VDSO32,
	KERNEL_SPACE_ANONYMOUS,
	KERNEL_SPACE_PYTHON, /* of a call: a function of Python's, whose number is the address */
};

struct kernel_cell_key {
	__u64 address; /* offset in the file or vdso; else the address itself */
	__u32 file;    /* number of a file, or enum kernel_space */
	__u32 task;    /* tgid or tid when cells are split by task, and with an exec above it for
			  anonymous code; the number of a kernel_owner when they are split by CPU or
			  control group; else 0 */
};

/* Code of no file is that of a program, of which a process executes several one after another: how
 * many it has, and 1, stands above the tgid or tid.  No pid is longer (PID_MAX_LIMIT). */
#define KERNEL_ID_BITS 22
#define KERNEL_EXECS 1023u /* that are told apart: all that there is room for, but 0 */

/* The cells a CPU added to last, by a hash of the pc that fell there; each goes to the table of all
 * cells when another one takes its place.  A hot cell is thus one line of memory that no other CPU
 * writes, and which a pc alone finds while the address space is what it was: its EPOCH says so. */
struct kernel_recent_cell {
	struct kernel_cell_key key;
	__u64 pc;
	__u32 epoch; /* 0: the pc alone says nothing */
	__u32 ticks; /* 0: free */
};

#define KERNEL_RECENT 1024    /* in a part, a power of two; all of it stays below 32 KiB */
#define KERNEL_RECENT_PARTS 2 /* a power of two */

struct kernel_recent {
	struct kernel_recent_cell cells[KERNEL_RECENT];
};

/* Inode numbers are reused and files rebuilt in place: this names one file for good. */
struct kernel_file_key {
	__u64 inode;
	__s64 mtime_sec;
	__u32 mtime_nsec;
	__u32 generation;
	__u32 device; /* the kernel's own dev_t: major << 20 | minor */
	__u32 zero;
};

enum kernel_file_flags {
	KERNEL_FILE_USED = 1,
	KERNEL_FILE_PROGRAM = 2, /* the main executable of a measured process */
};

struct kernel_file {
	struct kernel_file_key key;
	__u64 overflow;	   /* ticks here that found the cell table full */
	__u32 path_offset; /* in the path heap */
	__u32 path_length; /* 0: not known */
	__u32 flags;
	__u32 pid;	     /* a process that had it, */
	__u32 mounts;	     /* and its mount namespace's inode number */
	__u8 build_id_tries; /* left */
	__u8 build_id_size;  /* 0: not known */
	__u8 build_id[KERNEL_BUILD_ID_MAX];
};

/* What cells are kept apart by. */
enum kernel_split {
	KERNEL_SPLIT_PROCESS = 1,
	KERNEL_SPLIT_THREAD = 2,
	KERNEL_SPLIT_CPU = 4,
	KERNEL_SPLIT_CGROUP = 8,
};

/* Whose a cell is: of all that cells can be split by, what they are split by. */
struct kernel_owner {
	__u64 cgroup; /* id, 0: of any */
	__u32 pid, tid;
	__u32 cpu;  /* its number and 1, 0: of any */
	__u32 exec; /* of code of no file; else 0 */
};

struct kernel_task {
	struct kernel_owner owner;
	char name[16];
};

/* The command line of a process, as it stands in its memory: LENGTH bytes at first, with the
 * environment behind them, over which a program may have written its title. */
struct kernel_title {
	__u32 length;
	char text[252];
};

#define KERNEL_TITLES 4096

/* The path of a control group from its hierarchy's root, in the path heap. */
struct kernel_cgroup {
	__u32 path_offset, path_length;
};

/* The first ones of enum unresolved_reason, in its order. */
#define KERNEL_UNRESOLVED 5

/* An address space as it was between two changes: what a pc meant in it, it means still. */
struct kernel_context {
	__u64 mm;
	__u64 exec_id;
	__u32 tgid;
	__u32 generation;
	__u32 epoch;  /* no two have the same */
	__u32 epochs; /* given out */
};

/* One per CPU, so that no two CPUs write the same line; what every tick touches fills one line. */
struct kernel_counters {
	__u64 fired;
	__u64 member_task; /* not a count: the measured task that ticked last here, */
	__u64 member_id;   /* and its pid and tid, for the address may be another's by now */
	struct kernel_context context; /* nor this: the address space that ticked last here */
	__u64 unresolved[KERNEL_UNRESOLVED];
	__u64 idle;	   /* ticks that found nothing to run, where everyone is measured */
	__u64 recent_used; /* places taken among the recent cells */
	__u64 cache_misses;
	__u64 vma_walks;
	__u64 vma_finds;
	__u64 guarded; /* ticks that were not looked at (guard.bpf.h) */
	__u64 came_ns; /* not a count: when the CPU last came online or went, CLOCK_MONOTONIC */
};

/* Membership of the measured tree, kept in the task itself. */
struct kernel_member {
	__u64 runtime_before; /* CPU time it had used when it joined, nanoseconds */
};
#define KERNEL_RUNTIME_NOW (~0ull)     /* to be read by the next survey */
#define KERNEL_RUNTIME_COUNTED (~1ull) /* the last survey has counted it */
