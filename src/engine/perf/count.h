/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/perf/cells.h"
#include "engine/perf/due.h"
#include "engine/perf/maps.h"
#include "engine/perf/rings.h"
#include "engine/perf/stack.h"
#include "engine/perf/switches.h"
#include "engine/perf/tasks.h"

#include <stdbool.h>

/* From records to cells: a tick is added and forgotten, whatever else is told changes what the
 * next ticks mean. */

/* What went wrong on a CPU. */
struct perf_trouble {
	uint64_t told[RING_KINDS]; /* records that found a ring full, by what records say; */
	uint64_t lost;		   /* of the ring of ticks, those that are not accounted for */
	uint32_t throttled; /* the thread whose event the kernel has slowed down last; 0: none */
};

struct perf_count {
	bool by_process, by_thread;
	bool have_counts; /* samples say what their event has counted */
	bool hidden;	  /* ticks in kernel mode are not written */
	bool hide_kernel; /* the user is not to see the kernel's addresses */
	struct perf_processes processes;
	struct perf_tasks tasks;
	struct perf_cells cells;
	struct perf_due due;
	struct perf_stacks stacks;
	struct lives lives;
	size_t sample_size;	       /* of what stands in a sample before its stack */
	struct perf_trouble *troubles; /* heap, by CPU */
	size_t cpus;

	uint64_t fired;
	uint64_t unresolved[UNRESOLVED_REASONS];
	uint64_t task_total;   /* threads seen, */
	uint64_t task_ends;    /* and their ends */
	uint64_t not_followed; /* processes that the kernel took the clocks from */
};

/* Take RECORD, of the ring numbered RING (perf_ring_of); OWNER is a struct perf_count.  A
 * perf_take. */
void perf_count_take(void *owner, size_t ring, const struct perf_event_header *record);

/* All records have been taken: LOST is how many found the ring numbered RING full.  The kernel
 * writes so into the next record that finds room, and behind the last there is none. */
void perf_count_lost(struct perf_count *count, size_t ring, uint64_t lost);

/* Thread TID of process PID is there already, called NAME. */
void perf_count_adopt(struct perf_count *count, pid_t pid, pid_t tid, const char *name);

/* All records have been taken, and the threads have used CPU_NS: account for the ticks that are due
 * and that no record showed, where it is known why. */
void perf_count_settle(struct perf_count *count, uint64_t cpu_ns);

void perf_count_done(struct perf_count *count);
