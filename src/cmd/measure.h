/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_CMD_MEASURE_H
#define PROFIL_CMD_MEASURE_H

#include "analysis/table.h"
#include "engine/engine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What 'profil run' was asked for. */
struct run_options {
	struct engine_options engine;
	const char *engine_name;
	bool dither;
	const char *output;
	bool raw;
	uint64_t every_ns; /* 0: never */
	enum table_by by;
	size_t rows; /* 0: all */
	bool no_report, quiet;
};

/* Run ARGV and measure it; write the profile; report on stderr.  Returns the exit status: the
 * program's own, 128+N when signal N killed it, 126 or 127 when it could not be started,
 * EXIT_PROFIL when profil itself failed. */
int measure_program(const struct run_options *options, char **argv);

#endif
