/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stddef.h>

/* The name of a file that PATTERN stands for, in PATH of SIZE bytes: %p is the process ID of this
 * process, %h the host's name, %r the rank in an MPI job, %t the time (UTC), %% a per cent sign.
 * Returns 0; -EINVAL for another letter, or a rank where there is none; -ENAMETOOLONG. */
int output_name(const char *pattern, char *path, size_t size, struct error *reterr);
