/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/timer/inside/handoff.h"

#include <inttypes.h>

struct engine {
	struct handoff *handoff;
	size_t size; /* of it, bytes */
	int fd;
	uint64_t period_ns, limit, room; /* as profil made them: the memory may say anything */
	char *environment[3];		 /* heap; NULL at the end */
	pid_t child;			 /* 0: not started */
};

/* CPU time used so far, as far as it is known. */
uint64_t preload_cpu_ns(const struct engine *engine);

/* struct engine_ops.read */
int preload_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		 struct error *reterr);
