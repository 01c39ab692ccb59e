/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/lives.h"
#include "engine/timer/inside/handoff.h"

#include <inttypes.h>

struct engine {
	struct handoff *handoff;
	size_t size; /* of it, bytes */
	int fd;
	/* As profil made them: the memory may say anything. */
	uint64_t period_ns, limit, room;
	uint64_t context_room; /* 0: call stacks are not asked for */
	char *environment[3];  /* heap; NULL at the end */
	pid_t child;	       /* 0: not started */
	struct lives lives;
	int looks; /* a timer; -1: none */
};

/* CPU time used so far, as far as it is known. */
uint64_t preload_cpu_ns(const struct engine *engine);

struct reading {
	struct handoff *handoff;
	struct histogram *histogram;
	uint32_t files[HANDOFF_PLACES]; /* by place: the index of its file */
	uint32_t tasks[HANDOFF_TASKS];	/* by task: its index */
	uint64_t room;
	size_t path_room; /* bytes of paths that may still be copied, with their NULs */
	uint64_t context_room;
	struct handoff_stacks stacks;
	uint32_t *contexts; /* heap, by context: its index and 1; 0: not read yet */
};

/* Where KEY is, with its task; false: nowhere that is known. */
bool preload_place(const struct reading *reading, uint64_t key, struct histogram_cell *cell);

/* What called the cell NUMBER, and all that called that, to CELL.  Returns 0 or -ENOMEM. */
int preload_read_caller(struct reading *reading, uint64_t number, struct histogram_cell *cell);

/* All of the time, where it was asked for: a timer for looks at /proc, one look, and what they came
 * to, into HISTOGRAM, which has the CPU time and the tasks. */
int preload_looks_begin(struct engine *engine);
void preload_look(struct engine *engine);
int preload_looks_read(struct engine *engine, struct histogram *histogram);

/* struct engine_ops.read */
int preload_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		 struct error *reterr);
