/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/measure.h"

/* Run ARGV twice, each time measured by another engine: the two best that work here.  The first
 * writes the profile that OPTIONS names, the second one beside it that has the engine in its name.
 * Say on stderr whether they agree.  Returns the program's exit status where both ran and agree;
 * else EXIT_PROFIL. */
int cross_check(const struct measure_options *options, char **argv);
