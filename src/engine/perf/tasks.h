/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stddef.h>
#include <stdint.h>

/* What processes or threads that have cells of their own are called. */

struct perf_tasks {
	struct histogram_task *tasks; /* heap, by number */
	size_t count, capacity;
};

#define PERF_ID_BITS 22	 /* of a pid: PID_MAX_LIMIT */
#define PERF_EXECS 1023u /* that are told apart: all that there is room for, but 0 */

/* The number of a task: the tid, or the pid where that is 0, and above it the exec. */
static inline uint32_t perf_task_number(uint32_t id, uint32_t exec)
{
	return id | exec << PERF_ID_BITS;
}

/* The task with NUMBER, or NULL. */
struct histogram_task *perf_tasks_find(const struct perf_tasks *tasks, uint32_t number);

/* Call TASK by NAME from now on; it need not be there yet.  Without memory it has no name. */
void perf_tasks_name(struct perf_tasks *tasks, const struct histogram_task *task, const char *name);

/* The same of the one with NUMBER, if it is there. */
void perf_tasks_rename(struct perf_tasks *tasks, uint32_t number, const char *name);

/* Append all to HISTOGRAM, and turn the numbers in its cells and contexts into indices.  A number
 * without a name is a process's.  Returns 0 or -ENOMEM. */
int perf_tasks_read(const struct perf_tasks *tasks, struct histogram *histogram);

void perf_tasks_done(struct perf_tasks *tasks);
