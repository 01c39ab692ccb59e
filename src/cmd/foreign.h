/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/measure.h"

#include <stdbool.h>

/* Programs that this system does not run itself, and 'profil PROGRAM' measures all the same: what
 * knows of them is a component of its own, with a row in run.c's table. */
struct foreign_programs {
	bool (*include)(const char *path);
	/* Measure the program ARGV[0] as OPTIONS ask, as far as they mean something to it; write
	 * the profile; report on stderr.  Returns the exit status. */
	int (*measure)(const struct measure_options *options, char **argv);
};

extern const struct foreign_programs dos_programs;
