/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/measuring.h"

/* Whom a command measures that takes all there are: a program, processes that run already, or the
 * whole machine.  The command's options begin with it. */
struct whom {
	struct measure_options options;
	struct processes processes;
};

#define OPTION_PID_ROW(group)                                                     \
	{                                                                         \
		'p', "pid", "PID[,PID...]", "these processes", group, VALUE_TEXT, \
			.take = whom_take_pids                                    \
	}
#define OPTION_COMM_ROW                                                                         \
	{                                                                                       \
		0, "comm", "NAME", "all processes of this name that run now", NULL, VALUE_TEXT, \
			.take = whom_take_comm                                                  \
	}
#define OPTION_ALL_ROW(group, help)                                      \
	{                                                                \
		'a', "all-cpus", NULL, help, group,                      \
			SETS(struct whom, options.engine.everyone, true) \
	}

/* Takers of those rows. */
int whom_take_pids(void *options, const struct option_value *value);
int whom_take_comm(void *options, const struct option_value *value);

/* Measure the whole machine | what is in .processes, for the command NAME. Each returns the exit
 * status, EXIT_PROFIL after having said what does not go together. */
int whom_measure_machine(const struct whom *whom, const char *name);
int whom_measure_processes(struct whom *whom, const char *name);

/* Whether it is no program that is to be started. */
bool whom_is_running(const struct whom *whom);

/* Those or the program in ARGV, NULL at its beginning where there is none: whichever is asked for,
 * and one alone. */
int whom_measure(struct whom *whom, const char *name, char **argv);

void whom_done(struct whom *whom);
