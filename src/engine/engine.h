/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/event.h"
#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What turns ticks into cells.  One file per engine, each ending in one const table. */

#define PERIOD_NS_MIN 10000ull	    /* 100,000 Hz: what the kernel's timers grant */
#define PERIOD_NS_MAX 1000000000ull /* 1 Hz */

enum engine_clock {
	CLOCK_USUAL,   /* the engine's own choice */
	CLOCK_MACHINE, /* one event per CPU; whose tick it is, is asked at the tick */
	CLOCK_TASK,    /* one event per thread, inherited; drops each thread's last remainder */
};

struct engine_options {
	uint64_t period_ns;	   /* PERIOD_NS_MIN to PERIOD_NS_MAX */
	const struct event *event; /* takes samples in place of the clock; NULL: none does */
	enum engine_clock clock;
	uint32_t cell_limit;	    /* 0: the engine's own default */
	bool by_process, by_thread; /* what cells are kept apart by */
	bool by_cpu, by_cgroup;	    /* the same, of engines that see the whole machine */
	bool everyone;		    /* all that runs is measured, and what is idle */
	bool redraws;		    /* redraw() will be called */
	bool call_stacks;	    /* cells are kept apart by who called, too */
	bool wall;		    /* all of the time of threads is accounted for, too */
	bool wakers;		    /* and of who woke them; with call stacks alone */
	uint32_t wall_budget;	    /* walks a second and CPU for that; 0: the engine's own */
	uint32_t max_stack;	    /* calls at most; 0: the engine's own default */
	uint32_t max_contexts;	    /* the same, of all contexts */
	uint32_t tables_mib;	    /* for unwind tables, of the kernel engine; 0: the same */
	uint32_t stack_size; /* bytes of stack to copy a sample, of the perf engine; 0: same */
	bool no_python;	     /* an interpreter's frames stand, not those of what it interprets */
	bool no_fold;	     /* a function that calls itself is each of its calls */
	const char *program; /* that will be started, found as execvp(3) does; or NULL */
	bool no_tree_walk;   /* find mappings as on kernels before 6.1; for tests */
};

/* The period of OPTIONS in what its samples are of: nanoseconds, or events. */
static inline uint64_t engine_period(const struct engine_options *options)
{
	return options->event ? options->event->period : options->period_ns;
}

/* How far a measurement is; cheap enough to ask every second. */
struct engine_progress {
	uint64_t ticks;
	uint64_t cells;
	uint64_t cpu_ns; /* of the whole tree, up to 1/HZ behind for tasks that run right now */
};

/* A part of what a measurement keeps in memory. */
struct engine_memory {
	const char *name; /* the engine's */
	uint64_t bytes;
};

#define ENGINE_MEMORY_PARTS 64

struct engine; /* each engine's own */

struct engine_ops {
	const char *name;
	const char *title;	/* "kernel engine" */
	const char *event;	/* what ticks, in perf's words */
	bool task_clock_only;	/* CLOCK_MACHINE it has not */
	bool whole_machine;	/* it can measure everyone, and knows CPUs and control groups */
	bool starts_only;	/* counts in programs that it starts, and in no others */
	bool drains_when_woken; /* drain() is due at wake-ups alone */
	bool call_stacks;	/* it can tell who called */
	bool waits;		/* it can tell what threads wait for, and who called */
	bool events;		/* it can take samples of events, but of tracepoints' only where */
	bool tracepoints;	/* this is true */
	bool sees_at_ticks; /* places at the kernel's own tick only, each with all that is due */

	/* Whether it would work here and now.  0, or -errno and what is missing with what to do. */
	int (*probe)(struct error *reterr);

	/* Whether it could count in PROGRAM, found as execvp(3) does.  0, or -errno and why not;
	 * NULL: in any. */
	int (*accepts)(const char *program, struct error *reterr);

	/* Get everything ready; nothing ticks yet.  OPTIONS is read only during the call. */
	int (*open)(const struct engine_options *options, struct engine **ret_engine,
		    struct error *reterr);

	/* What the environment of the program must hold: "NAME=VALUE", NULL at the end, the
	 * engine's.  NULL: nothing. */
	char *const *(*environment)(const struct engine *engine);

	/* Measure the COUNT processes PIDS (at least one), each with all its threads, and all they
	 * will fork.  The clocks run at random phases when this returns; it takes up to one period.
	 * -ESRCH when none of them is there any more.  CLOCK_TASK: one process of one thread.
	 * Where everyone is measured, there are none. */
	int (*start)(struct engine *engine, const pid_t *pids, size_t count, struct error *reterr);

	/* A descriptor that is readable when drain() is due; the engine's.  -1: never.  NULL, with
	 * drain: nothing need be done while processes run. */
	int (*wakeup)(const struct engine *engine);

	/* Count what waits to be counted; to be called at wake-ups, and unless drains_when_woken
	 * ten times a second. */
	void (*drain)(struct engine *engine);

	int (*progress)(struct engine *engine, struct engine_progress *ret_progress);

	/* The cells so far.  FINAL: the clocks stop, and the CPU time of tasks that are just ending
	 * is waited for (a child of the caller must not be reaped before).  RET_HISTOGRAM is the
	 * caller's, histogram_done(). */
	int (*read)(struct engine *engine, bool final, struct histogram *ret_histogram,
		    struct error *reterr);

	/* Draw a new period around the one asked for (--dither), where options.redraws said that
	 * this would be called; NULL where it cannot. */
	int (*redraw)(struct engine *engine);

	/* What the engine counts in: PARTS has room for ENGINE_MEMORY_PARTS of them.  Returns
	 * how many there are. */
	size_t (*memory)(const struct engine *engine, struct engine_memory *parts);

	/* Stop the clocks; what was counted stays readable. */
	void (*stop)(struct engine *engine);

	/* Frees everything; takes NULL. */
	void (*close)(struct engine *engine);
};

/* The kernel counts: a BPF program adds one to a cell at the clock's interrupt.  The collector
 * sleeps until the end. */
extern const struct engine_ops kernel_engine;

/* The engine of whoever may open perf events on his own processes (perf_event_paranoid of 2 or
 * less): the kernel writes each sample into a ring, the collector adds it to a cell and forgets it.
 */
extern const struct engine_ops perf_engine;

/* The engine that asks nothing of the kernel but timers: libprofil-preload.so, in the program and
 * in all that it executes, counts into memory that profil has made (engine/timer/inside/handoff.h).
 */
extern const struct engine_ops preload_engine;

/* All engines, best first, NULL at the end. */
extern const struct engine_ops *const engine_list[];

/* What an engine is to do. */
struct engine_wish {
	const char *name; /* "auto": the first that works */
	enum engine_clock clock;
	bool dither;
	bool everyone;		/* the whole machine */
	bool by_cpu, by_cgroup; /* cells kept apart by them */
	bool call_stacks;	/* and by who called, or not at all */
	bool waits;		/* what only one does that can tell what threads wait for */
	bool running;		/* processes that run already */
	const struct event *event;
};

/* The engine that WISH names.  Returns 0, with *RET_WHY_NOT the sentences of all better ones that
 * were passed over ("" when there are none); or -errno with a sentence, that of the best one for
 * "auto". */
int engine_choose(const struct engine_wish *wish, const struct engine_ops **ret_ops,
		  struct error *ret_why_not, struct error *reterr);

/* The next engine behind OPS that can do what WISH says, by its own word; NULL: there is none, or
 * WISH names one.  For when OPS said so and could not.  The sentences of those that cannot either
 * are added to WHY_NOT. */
const struct engine_ops *engine_next(const struct engine_wish *wish, const struct engine_ops *ops,
				     struct error *why_not);

/* The clock that OPS takes for CLOCK: one of a kind, not CLOCK_USUAL. */
enum engine_clock engine_clock_of(const struct engine_ops *ops, enum engine_clock clock);
