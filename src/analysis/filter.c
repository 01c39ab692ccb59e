// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/filter.h"

#include "analysis/filter_private.h"
#include "analysis/table_labels.h"
#include "base/keyset.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_MAX 15 /* characters that the kernel keeps of a name */

static bool is_called(const char *name, const char *comm)
{
	return !strncmp(name, comm, COMM_MAX) &&
	       (strlen(name) == strlen(comm) || strlen(comm) > COMM_MAX);
}

static bool passes(const struct filter *filter, const struct profile *profile,
		   const struct profile_task *task)
{
	return task && (!filter->pid || task->pid == filter->pid) &&
	       (!filter->tid || task->tid == filter->tid) &&
	       (!filter->comm || is_called(profile_text(profile, task->name), filter->comm));
}

static int check(const struct filter *filter, const struct profile *profile, struct error *reterr)
{
	struct error ignored;

	if (filter->tid && table_check_labels(profile, TABLE_BY_THREAD, &ignored))
		return error_set(reterr, -EINVAL,
				 "--tid: the profile does not keep threads apart: take it with "
				 "--by-thread");
	if (table_check_labels(profile, TABLE_BY_PROCESS, &ignored))
		return error_set(reterr, -EINVAL,
				 "%s: the profile does not keep processes apart: take it with "
				 "--by-process or --by-thread",
				 filter->comm ? "--comm" : "--pid");
	return 0;
}

/* " --pid 3 --comm sort" */
static int describe(const struct filter *filter, char **ret_text)
{
	char pid[32] = "", tid[32] = "";

	if (filter->pid)
		(void)snprintf(pid, sizeof(pid), " --pid %" PRIu32, filter->pid);
	if (filter->tid)
		(void)snprintf(tid, sizeof(tid), " --tid %" PRIu32, filter->tid);
	return asprintf(ret_text, "%s%s%s%s", pid, tid, filter->comm ? " --comm " : "",
			filter->comm ? filter->comm : "") < 0
		       ? -ENOMEM
		       : 0;
}

/* The command line says what is left: of ALL samples those that pass; NOBODYS may be theirs, too.
 */
static int name_part(struct profile *profile, const char *what, uint64_t all, uint64_t kept,
		     uint64_t nobodys)
{
	char also[64] = "", *text;
	int ret;

	if (nobodys)
		(void)snprintf(also, sizeof(also), "; %" PRIu64 " are of no known process",
			       nobodys);
	if (asprintf(&text, "%s (only%s: %" PRIu64 " of %" PRIu64 " samples%s)",
		     profile_text(profile, profile->facts.command), what, kept, all, also) < 0)
		return -ENOMEM;
	ret = profile_string(profile, text, &profile->facts.command);
	free(text);
	return ret;
}

/* The threads that lived in PROFILE, as far as it keeps them apart.  Returns 0 or -ENOMEM. */
static int count_threads(const struct profile *profile, uint64_t *ret_count)
{
	uint32_t value = profile_counts(profile, VALUE_LIFETIME), number;
	struct keyset threads = {0};
	int ret = 0;

	for (size_t i = 0; i < profile->amount_count && ret >= 0; i++) {
		const struct profile_task *task = table_task_of(profile, &profile->amounts[i]);

		if (profile->amounts[i].value == value && task && task->tid)
			ret = keyset_add(&threads, &(struct key){{task->pid, task->tid}}, &number);
	}
	*ret_count = threads.count;
	keyset_done(&threads);
	return ret < 0 ? ret : 0;
}

/* What was counted for the whole alone is not known of a part. */
static void forget(struct profile_facts *facts, uint64_t removed)
{
	memset(facts->wall, 0, sizeof(facts->wall));
	facts->part = true;
	facts->samples -= removed < facts->samples ? removed : facts->samples;
	if (facts->samples_ns)
		facts->samples_ns = facts->samples * facts->period_ns;
	facts->cpu_ns = facts->remainder_ns = facts->stolen_ns = 0;
	facts->machine_ns = facts->idle_ns = 0;
}

int filter_become_part(struct profile *profile, const char *what, uint64_t all, uint64_t kept,
		       uint64_t nobodys)
{
	profile->call_count = 0;
	forget(&profile->facts, all - kept);
	return name_part(profile, what, all, kept, nobodys);
}

/* Take out the amounts that do not pass, too.  How many threads are left is known where all were
 * kept apart. */
static int keep_amounts(const struct filter *filter, struct profile *profile, uint64_t *ret_threads)
{
	uint64_t threads, left;
	size_t count = 0;
	int ret = count_threads(profile, &threads);

	for (size_t i = 0; i < profile->amount_count; i++) {
		const struct profile_cell *amount = &profile->amounts[i];

		if (passes(filter, profile, table_task_of(profile, amount)))
			profile->amounts[count++] = *amount;
	}
	profile->amount_count = count;
	if (!ret)
		ret = count_threads(profile, &left);
	if (!ret)
		*ret_threads = threads == profile->facts.wall[WALL_THREADS] ? left : 0;
	return ret;
}

static int keep_part(const struct filter *filter, struct profile *profile, const char *what,
		     struct error *reterr)
{
	uint64_t all = 0, kept = 0, nobodys = 0, threads;
	size_t count = 0;
	int ret;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_task *task = table_task_of(profile, cell);
		bool is_nobodys = !task || !task->pid;

		all = ticks_add(all, cell->ticks);
		if (is_nobodys &&
		    profile->mappings[profile->locations[cell->location].mapping].class !=
			    CLASS_IDLE)
			nobodys = ticks_add(nobodys, cell->ticks);
		if (!passes(filter, profile, task))
			continue;
		kept = ticks_add(kept, cell->ticks);
		profile->cells[count++] = *cell;
	}
	ret = keep_amounts(filter, profile, &threads);
	if (!ret && !count && !profile->amount_count)
		return error_set(reterr, -ENOENT, "nothing matches%s", what);
	profile->cell_count = count;
	if (!ret)
		ret = filter_become_part(profile, what, all, kept, nobodys);
	if (!ret)
		profile->facts.wall[WALL_THREADS] = threads;
	return ret;
}

int filter_apply(const struct filter *filter, struct profile *profile, struct error *reterr)
{
	char *what;
	int ret;

	if (!filter_is_set(filter))
		return 0;
	ret = check(filter, profile, reterr);
	if (ret)
		return ret;
	ret = describe(filter, &what);
	if (ret)
		return ret;
	ret = keep_part(filter, profile, what, reterr);
	free(what);
	return ret;
}

int filter_cells(const struct profile *profile, enum histogram_value value,
		 struct profile_cell **ret_cells, size_t *ret_count)
{
	struct profile_cell *cells = calloc(profile->amount_count + 1, sizeof(*cells));
	uint32_t number = profile_counts(profile, value);
	size_t count = 0;

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < profile->amount_count; i++) {
		struct profile_cell cell = profile->amounts[i];

		if (cell.value != number)
			continue;
		cell.value = 0;
		cells[count++] = cell;
	}
	*ret_cells = cells;
	*ret_count = count;
	return 0;
}

uint64_t filter_time(const struct profile *profile, uint64_t ticks)
{
	uint64_t period = profile->facts.period_ns;

	return period && ticks > TICKS_MAX / period ? TICKS_MAX : ticks * period;
}

static enum profile_class class_of(const struct profile *profile, const struct profile_cell *cell)
{
	return profile->mappings[profile->locations[cell->location].mapping].class;
}

/* Waiting for a CPU or blocked; 0 is no value's number. */
static bool is_wait(const struct profile *profile, const struct profile_cell *amount)
{
	return amount->value && (amount->value == profile_counts(profile, VALUE_RUNQUEUE) ||
				 amount->value == profile_counts(profile, VALUE_BLOCKED));
}

int filter_thread_time(const struct profile *profile, bool waits, struct profile *ret_of_time)
{
	size_t room = profile->cell_count + profile->amount_count, count = 0;
	struct profile_cell *cells = calloc(room + 1, sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++) {
		if (class_of(profile, &profile->cells[i]) == CLASS_IDLE)
			continue;
		cells[count] = profile->cells[i];
		cells[count].ticks = filter_time(profile, cells[count].ticks);
		count++;
	}
	for (size_t i = 0; waits && i < profile->amount_count; i++) {
		if (!is_wait(profile, &profile->amounts[i]))
			continue;
		cells[count] = profile->amounts[i];
		cells[count++].value = 0;
	}
	*ret_of_time = *profile;
	ret_of_time->cells = cells;
	ret_of_time->cell_count = count;
	ret_of_time->value = VALUE_LIFETIME + 1;
	return 0;
}

void filter_to_callers(struct profile *profile)
{
	for (size_t i = 0; i < profile->cell_count; i++) {
		struct profile_cell *cell = &profile->cells[i];
		const struct profile_context *caller;

		if (class_of(profile, cell) != CLASS_TIME)
			continue;
		while (cell->context) {
			caller = &profile->contexts[cell->context - 1];
			cell->location = caller->location;
			cell->context = caller->parent;
			if (class_of(profile, cell) != CLASS_KERNEL)
				break;
		}
	}
}

int filter_counts(const struct profile *profile, enum histogram_value value, struct error *reterr)
{
	bool by_wakers = value == VALUE_WOKEN || value == VALUE_TIMES_WOKEN;
	const char *type = histogram_value_type(value);

	if (profile_counts(profile, value))
		return 0;
	if (!by_wakers && profile_counts(profile, VALUE_LIFETIME))
		return error_set(reterr, -ENOENT,
				 "--value '%s': nothing of it was measured: name another", type);
	return error_set(reterr, -ENOENT, "--value '%s': the profile has none: take it with %s",
			 type, by_wakers ? "--wakers" : "--wall");
}

int filter_value(enum histogram_value value, struct profile *profile, struct error *reterr)
{
	struct profile_cell *cells;
	size_t count;
	int ret = filter_counts(profile, value, reterr);

	if (!ret)
		ret = filter_cells(profile, value, &cells, &count);
	if (ret)
		return ret;
	free(profile->cells);
	profile->cells = cells;
	profile->cell_count = count;
	profile->cell_capacity = profile->amount_count + 1;
	profile->value = (uint32_t)value + 1;
	return 0;
}
