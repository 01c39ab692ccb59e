// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_labels.h"

#include <errno.h>

bool table_by_label(enum table_by by)
{
	return by >= TABLE_BY_PROCESS;
}

const struct profile_task *table_task_of(const struct profile *profile,
					 const struct profile_cell *cell)
{
	return cell->task == PROFILE_NO_TASK ? NULL : &profile->tasks[cell->task];
}

uint64_t table_label(enum table_by by, const struct profile_task *task)
{
	if (!task)
		return 0;
	switch (by) {
	case TABLE_BY_CPU:
		return task->cpu;
	case TABLE_BY_CGROUP:
		return task->cgroup;
	case TABLE_BY_REASON:
		return 0;
	case TABLE_BY_COMM:
		return task->pid ? task->name : 0;
	case TABLE_BY_THREAD:
		return (uint64_t)task->pid << 32 | task->tid;
	default:
		return (uint64_t)task->pid << 32;
	}
}

const char *table_title(const struct profile *profile, const struct profile_task *task)
{
	uint32_t title = task->title;

	while (!title && task > profile->tasks && task[-1].pid == task->pid)
		title = (--task)->title;
	return profile_text(profile, title);
}

const char *table_label_none(enum table_by by)
{
	switch (by) {
	case TABLE_BY_CPU:
		return "[no cpu]";
	case TABLE_BY_CGROUP:
		return "[no cgroup]";
	case TABLE_BY_REASON:
		return "on CPU";
	default:
		return "[no process]";
	}
}

/* Whether a cell with that label says that all were split by it: anonymous code keeps its process
 * always. */
static bool tells(const struct profile *profile, enum table_by by, const struct profile_cell *cell)
{
	uint32_t mapping = profile->locations[cell->location].mapping;

	if (by == TABLE_BY_CPU || by == TABLE_BY_CGROUP)
		return true;
	return profile->mappings[mapping].class != CLASS_ANONYMOUS;
}

/* What has no address never has a label, nor has what was idle any but its CPU: that says nothing
 * of how the profile was taken. */
static bool has_labels(const struct profile *profile, enum table_by by)
{
	bool unlabelled = false;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_task *task = table_task_of(profile, cell);
		const struct profile_location *location = &profile->locations[cell->location];
		bool labelled = table_label(by, task) && (by != TABLE_BY_THREAD || task->tid);

		if (!profile_is_code(profile, location))
			continue;
		if (labelled && tells(profile, by, cell))
			return true;
		unlabelled |= !labelled;
	}
	return !unlabelled;
}

int table_check_labels(const struct profile *profile, enum table_by by, struct error *reterr)
{
	if (by == TABLE_BY_REASON && !profile_counts(profile, VALUE_LIFETIME))
		return error_set(reterr, -EINVAL,
				 "by reason: the profile has no waits: take it with --wall");
	if (!table_by_label(by) || by == TABLE_BY_REASON || has_labels(profile, by))
		return 0;
	return error_set(reterr, -EINVAL,
			 "by %s: the profile does not keep them apart: take it with --by-%s",
			 table_by_name(by),
			 by == TABLE_BY_COMM ? "process or --by-thread" : table_by_name(by));
}
