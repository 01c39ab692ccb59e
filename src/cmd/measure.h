/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/keep.h"
#include "cmd/moving.h"
#include "engine/engine.h"
#include "target/process.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a command that measures was asked for. */
struct measure_options {
	struct engine_options engine;
	struct event event; /* .engine's, if it has one */
	uint64_t count;	    /* its period; 0: its own */
	const char *engine_name;
	bool stacks_asked; /* call stacks are there, or nothing is measured */
	struct keeping keeping;
	bool raw;
	uint64_t every_ns;	   /* 0: never */
	uint64_t names_timeout_ns; /* how long servers of debug information may take */
	uint64_t for_ns;	   /* how long at most; 0: until the end */
	bool quiet, verbose;
	struct moving_show show; /* who is handed the profile while it is measured */
	/* Of measurements that follow each other without a gap: all that is to be done before is
	 * done, and the clocks start when the one before says on BEGIN, a descriptor, that its own
	 * have stopped.  On OVER each says how far it is.  0: none. */
	int begin, over;
};
enum {
	MEASURE_READY = 'r', /* to begin */
	MEASURE_BEGUN = 'b',
	MEASURE_STOPPED = 's',
	MEASURE_ENDED = 'e', /* and nothing is left to be measured */
};

/* Run ARGV and measure it; write the profile; report on stderr.  Returns the exit status: the
 * program's own, 128+N when signal N killed it, 126 or 127 when it could not be started,
 * EXIT_PROFIL when profil itself failed. */
int measure_program(const struct measure_options *options, char **argv);

/* Measure PROCESSES, at least one, until none is left, the time is over or a signal says so
 * (SIGINT, SIGTERM, SIGHUP, SIGQUIT); write the profile; report on stderr.  Returns 0, or
 * EXIT_PROFIL after having said why. */
int measure_processes(const struct measure_options *options, struct processes *processes);

/* Measure the whole machine until the time is over or such a signal says so; the rest is the same.
 */
int measure_machine(const struct measure_options *options);
