/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stddef.h>
#include <stdint.h>

/* What processes or threads that have cells of their own are called. */

struct perf_tasks {
	struct histogram_task *tasks; /* heap, by number: the tid, or the pid where that is 0 */
	size_t count, capacity;
};

/* The task numbered ID, or NULL. */
struct histogram_task *perf_tasks_find(const struct perf_tasks *tasks, uint32_t id);

/* Call the task TID (0: the whole process) of process PID by NAME from now on; it need not be there
 * yet.  Without memory it has no name. */
void perf_tasks_name(struct perf_tasks *tasks, uint32_t pid, uint32_t tid, const char *name);

/* Append all to HISTOGRAM, and turn the numbers in its cells and contexts into indices.  A number
 * without a name is a process's.  Returns 0 or -ENOMEM. */
int perf_tasks_read(const struct perf_tasks *tasks, struct histogram *histogram);

void perf_tasks_done(struct perf_tasks *tasks);
