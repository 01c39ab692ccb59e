/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Make sense of PROFILE, which another program wrote or rewrote: the class of each mapping by its
 * name, one cell for each location and task, no empty ones, and their sum as the samples that
 * were taken. */
void foreign_settle(struct profile *profile);

/* Whether PATH, of SIZE bytes, stands for memory of no file: "//anon", "/memfd:...", and the name
 * that perf gives to generated code, "/tmp/perf-12.map". */
bool foreign_is_anonymous(const char *path, size_t size);
