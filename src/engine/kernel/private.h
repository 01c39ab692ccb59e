/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Shared by the two halves of the kernel engine: kernel.c and read.c. */

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/kernel/kernel.h"
#include "engine/kernel/python.h"
#include "engine/kernel/stacks.h"
#include "engine/kernel/unwinding.h"
#include "engine/kernel/wall_read.h"
#include "kernel.skel.h"
#include "target/closure.h"

#define KERNEL_TASKS_SPLIT 65536 /* tasks with a name, when cells are split by task */

enum {
	KERNEL_FORKED,
	KERNEL_FREED,
	KERNEL_SURVEY,
	KERNEL_EXITED,
	KERNEL_EXECUTED,
	KERNEL_CPU_CAME,
	/* Of all time. */
	KERNEL_SWITCHED,
	KERNEL_WOKEN,
	KERNEL_WOKEN_NEW,
	KERNEL_WAKING,
	KERNEL_LIVES_LEFT,
	KERNEL_HOOKS
};

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
	struct closure closure;	     /* of the program that will be started */
	struct unwinding *unwinding; /* NULL: call stacks are not asked for */
	uint32_t python_count;	     /* interpreters that are known */
	char python_unknown[4][40];  /* and which are not, in order; "": no more */
	int wakeup;		     /* of both; -1: there is only one, or none */
	uint64_t period_ns;	     /* now; --dither draws new ones */
	uint64_t ticks_before,
		ticks_before_ns; /* ticks of the periods before, and what they stood for */
};

/* Open the skeleton, let CONFIGURE see it, and load it.  Returns 0 or -errno; the skeleton is there
 * whatever fails behind its opening. */
int kernel_load(struct engine *engine, int (*configure)(struct engine *engine));

/* The maps by name, as engine_ops.memory has it. */
size_t kernel_memory(const struct engine *engine, struct engine_memory *parts);

/* Before the skeleton is loaded: what is to be in it, without call stacks or with them.  Return 0
 * or -errno. */
int kernel_flat_configure(struct engine *engine);
int kernel_stacks_configure(struct engine *engine);

/* When it is loaded, with call stacks: the unwind tables.  Returns 0, or -errno with a sentence. */
int kernel_stacks_open(struct engine *engine, struct error *reterr);

/* Python's functions (python.h).  Before the skeleton is loaded: the sizes of their maps, and
 * whether they are there at all. */
int kernel_python_configure(struct engine *engine);

/* The number that FD has among interpreters, which is then known to the BPF program; 0: it is none,
 * or a version that is not known, which is told in the end. */
uint32_t kernel_python_take(struct engine *engine, int fd);

/* Those that were met, by the numbers that the BPF program has for them: read when the contexts
 * have been.  NUMBERS is the caller's. */
struct kernel_pythons {
	uint64_t *numbers; /* in rising order: of each of the histogram's functions */
	size_t count;
};
int kernel_python_read(struct engine *engine, struct kernel_pythons *ret_pythons,
		       struct histogram *histogram);

/* Which function NUMBER is, or HISTOGRAM_NO_FUNCTION. */
uint32_t kernel_python_index(const struct kernel_pythons *pythons, uint64_t number);

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

/* Give HISTOGRAM's processes their command lines, as far as they are known.  Returns 0 or -errno.
 */
int kernel_titles_put(struct engine *engine, struct histogram *histogram);
int kernel_read_idle(struct engine *engine, struct histogram *histogram);

/* The process that code of no file with NUMBER for a task is of, without its name. */
struct histogram_task kernel_process_of(uint32_t number);

/* A cell and what fell there; of a flat one the context is none. */
struct kernel_cell {
	struct kernel_stack_key key;
	uint64_t ticks;
};

/* All cells, each once.  The first KEPT are those the limit has room for; those behind it have the
 * fewest ticks, which go to their files' overflow. */
struct kernel_cells {
	struct kernel_cell *cells; /* heap */
	size_t count, capacity, kept;
};
int kernel_cells_read(struct engine *engine, struct kernel_cells *ret_cells);
void kernel_cells_done(struct kernel_cells *cells);

/* The calling contexts, to be read when the cells have been, and put into HISTOGRAM, parents first,
 * where FILES has a file's index by its number.  Those of code of no file have the kernel's numbers
 * of processes for tasks, which kernel_contexts_place() turns into indices when the tasks are
 * there.
 */
struct contexts;
int kernel_contexts_configure(const struct engine *engine);
int kernel_contexts_read(struct engine *engine, struct contexts **ret_contexts);
int kernel_contexts_put(struct contexts *contexts, const uint32_t *files,
			const struct kernel_pythons *pythons, struct histogram *histogram);
int kernel_contexts_place(struct histogram *histogram);
void kernel_contexts_done(struct contexts *contexts);

/* CELL gets the context with NUMBER, 0 for none; where a caller of it is not sure, its stack ends
 * there. */
void kernel_context_put(struct contexts *contexts, uint64_t number, struct histogram_cell *cell);

/* Whether the walk from a tick at PLACE began rightly. */
bool kernel_cell_is_sure(const struct contexts *contexts, const struct kernel_cell_key *place);

/* The space of what has FILE in its key. */
enum cell_space kernel_space_of(uint32_t file);

/* Everything in a hash map, in one walk.  *RET_KEYS and *RET_VALUES are the caller's. */
int kernel_map_read(struct bpf_map *map, void **ret_keys, void **ret_values, uint32_t *ret_count);

/* The account of all time (wall.h).  Whether this kernel has what it takes: 0, or -ENOSYS with a
 * sentence.  Before the skeleton is loaded: whether it is in it. */
int kernel_wall_probe(struct error *reterr);
int kernel_wall_configure(struct engine *engine);

/* Leave out what KERNEL can do without where the running kernel has the members in TYPES. */
void kernel_wall_settle(const struct kernel *kernel, const struct btf *types);

/* When it is loaded, and before it is attached. */
int kernel_wall_open(struct engine *engine);

/* Somebody is about to be measured. */
void kernel_wall_begin(struct engine *engine);

/* What was counted, out of the kernel, before the contexts are.  FINAL: it is over; PERIOD_NS is a
 * sample's. */
int kernel_wall_read(struct engine *engine, bool final, uint64_t period_ns, struct wall **ret_wall);
void kernel_wall_done(struct wall *wall);

/* What FIRED ticks stand for, each with the period it had. */
uint64_t kernel_ticks_ns(const struct engine *engine, uint64_t fired);

int kernel_progress(struct engine *engine, struct engine_progress *ret_progress);
int kernel_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		struct error *reterr);
