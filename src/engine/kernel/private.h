/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Shared by the two halves of the kernel engine: kernel.c and read.c. */

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/kernel/kernel.h"
#include "kernel.skel.h"

#define KERNEL_TASKS_SPLIT 65536 /* tasks with a name, when cells are split by task */

enum { KERNEL_FORKED, KERNEL_FREED, KERNEL_SURVEY, KERNEL_EXITED, KERNEL_CPU_CAME, KERNEL_HOOKS };

struct engine {
	const struct engine_ops *ops;
	struct engine_options options;
	struct kernel *kernel; /* the skeleton */
	struct clocks clocks;
	int watch;	      /* tells of CPUs that come; -1: nobody does */
	uint32_t cpus_joined; /* that have come */
	struct cpu_changes cpu_changes;
	struct cpu_changes clockless; /* CPUs that came, until their clock ticks */
	int followers[KERNEL_HOOKS];  /* descriptors of links; 0: none */
	uint32_t cpus;		      /* that had a clock at first */
	uint32_t cell_limit;
	uint64_t period_ns; /* now; --dither draws new ones */
	uint64_t ticks_before,
		ticks_before_ns; /* ticks of the periods before, and what they stood for */
};

/* Open the skeleton, let CONFIGURE see it, and load it.  Returns 0 or -errno; the skeleton is there
 * whatever fails behind its opening. */
int kernel_load(struct engine *engine, int (*configure)(struct engine *engine));

/* Returns a descriptor, or -errno. */
int kernel_attach(const struct bpf_program *program);

/* Add up the CPU time of the measured tasks that live, into the skeleton's bss. */
int kernel_survey(struct engine *engine);

/* The counters of each CPU, *RET_COUNT of them: the caller's.  And of all CPUs, added up. */
int kernel_counters_read(struct engine *engine, struct kernel_counters **ret_each,
			 size_t *ret_count);
int kernel_counters_sum(struct engine *engine, struct kernel_counters *ret_sum);

/* Put the names of owners into HISTOGRAM, whose cells have the kernel's numbers of theirs; those
 * become indices.  And the ticks of what was idle, of each CPU where the cells are split by it. */
int kernel_read_tasks(struct engine *engine, struct histogram *histogram);
int kernel_read_idle(struct engine *engine, struct histogram *histogram);

/* All cells, each once.  The first KEPT are those the limit has room for; those behind it have the
 * fewest ticks, which go to their files' overflow. */
struct kernel_cells {
	struct kernel_cell *cells; /* heap */
	size_t count, capacity, kept;
};
int kernel_cells_read(struct engine *engine, struct kernel_cells *ret_cells);
void kernel_cells_done(struct kernel_cells *cells);

/* Everything in a hash map, in one walk.  *RET_KEYS and *RET_VALUES are the caller's. */
int kernel_map_read(struct bpf_map *map, void **ret_keys, void **ret_values, uint32_t *ret_count);

/* What FIRED ticks stand for, each with the period it had. */
uint64_t kernel_ticks_ns(const struct engine *engine, uint64_t fired);

int kernel_progress(struct engine *engine, struct engine_progress *ret_progress);
int kernel_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		struct error *reterr);
