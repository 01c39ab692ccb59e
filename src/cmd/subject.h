/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "target/process.h"

/* What is measured, in words, for the profile and its report.  Both return heap text, or NULL when
 * memory is short. */

/* ARGV as a shell would take it back. */
char *subject_command(char **argv);

/* "nginx (812), nginx (813)"; at most some, and how many more. */
char *subject_processes(const struct processes *processes);
