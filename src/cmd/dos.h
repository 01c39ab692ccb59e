/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/keep.h"

#include <stdbool.h>
#include <stddef.h>

/* What 'profil dos' was asked for. */
struct dos_options {
	unsigned bucket_size, interval_us, cycles;
	bool window;
	const char *map; /* NULL: what stands beside the program */
	struct keeping keeping;
};

#define DOS_INTERVAL_MIN 60
#define DOS_INTERVAL_MAX 65529

/* A round interval would fall in step with programs that have one of their own. */
#define DOS_OPTIONS_USUAL                                                                         \
	{                                                                                         \
		.bucket_size = 1, .interval_us = 1003, .cycles = 20000, .keeping = KEEPING_USUAL, \
	}

/* Measure the DOS program ARGV[0] in DOSBox; write the profile; report on stderr; its output on
 * stdout.  Returns the exit status: the program's own, 130 when Ctrl-C ended it, EXIT_PROFIL when
 * it could not be measured. */
int dos_measure(const struct dos_options *options, char **argv);
