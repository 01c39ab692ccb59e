/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/inside/pc_list.h"
#include "histogram/region.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The engines that run in the measured program itself: each turns ticks of this process into cells
 * of a region table.  One file per engine, each ending in one const table; the list, best first,
 * is in inside.c.  They depend on libc alone (kernel.c loads a second object for what needs
 * libbpf). */

struct guest;
struct inside_account;

/* Whoever counts in place of a table: profil, in a program that the timer engine measures. */
struct inside_receiver {
	struct guest *guest;
	/* Count TICKS at PC, where CONTEXT (a signal's ucontext_t, NULL: not known) was
	 * interrupted. False: they are lost, and nothing is counted any more.  Signal-safe. */
	bool (*count)(struct guest *guest, uintptr_t pc, const void *context, uint64_t ticks);
	/* Called on the engine's hidden thread at each of its turns: 4 ms of CPU time apart and
	 * more, and 100 ms while there is any. */
	void (*watch)(struct guest *guest, const struct inside_account *account);
};

struct inside_options {
	uint64_t period_ns; /* of CPU time of each thread */
	bool this_thread;   /* only the thread that starts it; else all, and those to come */
	/* Where ticks go; what is given outlives the measurement. */
	const struct region_table *table;
	struct pc_list *list; /* not NULL: each tick's pc, in place of the table */
	const struct inside_receiver *receiver; /* not NULL, timer only: in place of the table */
};

/* How it went so far.  Everything but UNSEEN and CPU_NS only grows. */
struct inside_account {
	uint64_t ticks;	    /* delivered, weighted with their overruns */
	uint64_t counted;   /* of these, in a cell */
	uint64_t outside;   /* at addresses of no region */
	uint64_t saturated; /* in a cell that was full */
	uint64_t lost;	    /* dropped by a ring, or not to be read any more */
	uint64_t unseen;    /* beyond TICKS; the engines leave it to their caller */
	uint64_t cpu_ns;    /* CPU time of the measured threads meanwhile */
	uint64_t threads;   /* that have had a clock of their own; timer only, others 0 */
	bool ended;	    /* by a full cell (SVR4) or a buffer that has become invalid */
};

struct inside; /* one running measurement; each engine's own */

struct inside_ops {
	const char *name; /* "kernel", "perf", "timer" */

	/* Whether it could do just this, here and now.  0, or -errno and why not in words. */
	int (*probe)(const struct inside_options *options, struct error *reterr);

	/* Whether it is to be taken for OPTIONS where it was not asked for by name: 0, or -errno
	 * and why not in words.  NULL: always. */
	int (*suits)(const struct inside_options *options, struct error *reterr);

	/* On return every thread of the process ticks.  OPTIONS is read only during the call. */
	int (*start)(const struct inside_options *options, struct inside **ret_inside,
		     struct error *reterr);

	int (*account)(struct inside *inside, struct inside_account *ret_account);

	/* No cell is written after it returns, and every tick that came before is in its cell.
	 * Frees INSIDE; *RET_ACCOUNT (may be NULL) is its last word. */
	void (*stop)(struct inside *inside, struct inside_account *ret_account);

	/* Around fork(2), in the forking thread.  Before: *RET_ACCOUNT is of just the ticks that
	 * the child finds in its cells, although more come on other threads meanwhile.  In the
	 * parent after.  In the child after, which leaves nothing of the parent's measurement
	 * behind (the caller starts a new one there). */
	void (*fork_prepare)(struct inside *inside, struct inside_account *ret_account);
	void (*fork_parent)(struct inside *inside);
	void (*fork_child)(struct inside *inside);
};

/* Best first, NULL at the end. */
extern const struct inside_ops *const inside_list[];
extern const struct inside_ops inside_kernel, inside_perf, inside_timer;

/* The first engine that can do OPTIONS, or the one called NAME (NULL: any).  WHY (may be NULL) gets
 * one line on each one that was passed over.  Returns 0 or -errno of the best one's refusal. */
int inside_choose(const struct inside_options *options, const char *name,
		  const struct inside_ops **ret_ops, struct error *why);

/* The same, and it is started: one that says it can and then cannot, for a limit is reached only on
 * the way (memory to be locked, descriptors, a clock that is refused), is passed over like one that
 * says it cannot, and leaves the cells as they were.  *RET_OPS and *RET_INSIDE are of the one that
 * counts. */
int inside_start(const struct inside_options *options, const char *name,
		 const struct inside_ops **ret_ops, struct inside **ret_inside, struct error *why);

/* In the child of a fork, after fork_child: by the engine that counted, *OPS, or where IS_NAMED is
 * not set by one after it.  What the kernel's needs takes longer to build than many a child lives,
 * and memory, which the child may have none of to allocate: it is always left to the next.  Nothing
 * is allocated.  Returns 0, or < 0: none can, and *OPS is NULL. */
int inside_go_on(const struct inside_options *options, bool is_named, const struct inside_ops **ops,
		 struct inside **ret_inside);
