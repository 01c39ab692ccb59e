// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "analysis/tree.h"
#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const match_names[DIFF_MATCHES] = {
	[DIFF_SAME] = "same", [DIFF_NAMED] = "named", [DIFF_MOVED] = "moved",
	[DIFF_NEW] = "new",   [DIFF_GONE] = "gone",
};

const char *diff_match_name(enum diff_match match)
{
	return match < DIFF_MATCHES ? match_names[match] : "unknown";
}

/* ---- what may be compared ---- */

static int check_event(const struct differ *differ, struct error *reterr)
{
	enum diff_side side;
	const struct profile *first = differ_run(differ, 0, &side);
	const char *event = profile_text(first, first->facts.event);

	for (size_t run = 1; run < differ->run_count; run++) {
		const struct profile *profile = differ_run(differ, run, &side);
		const char *other = profile_text(profile, profile->facts.event);

		if (strcmp(event, other) != 0)
			return error_set(reterr, -EINVAL,
					 "diff: samples of the event '%s' and of '%s' are not the "
					 "same thing: give profiles of one event",
					 event, other);
	}
	return 0;
}

/* Runs of a side are added up, too; the sides may differ. */
static int check_periods(const struct differ *differ, struct error *reterr)
{
	const struct profile_facts *first[DIFF_SIDES] = {0};

	for (size_t run = 0; run < differ->run_count; run++) {
		enum diff_side side;
		const struct profile_facts *facts = &differ_run(differ, run, &side)->facts;

		if (!first[side])
			first[side] = facts;
		if (facts_asked(facts) != facts_asked(first[side]))
			return error_set(reterr, -EINVAL,
					 "diff: runs %s with periods of %" PRIu64 " and %" PRIu64
					 " ns are not repeats: give runs of one period a side",
					 side == DIFF_BEFORE ? "before" : "after",
					 facts_asked(first[side]), facts_asked(facts));
	}
	return 0;
}

static int check_stacks(const struct differ *differ, struct error *reterr)
{
	for (size_t run = 0; differ->options->by_path && run < differ->run_count; run++) {
		enum diff_side side;

		if (!tree_has_stacks(differ_run(differ, run, &side)))
			return error_set(reterr, -EINVAL,
					 "diff: --by path: a profile %s has no call stacks: take "
					 "it with -g",
					 side == DIFF_BEFORE ? "before" : "after");
	}
	return 0;
}

static int check_totals(const struct diff *diff, struct error *reterr)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		uint64_t ticks = diff->totals[side].ticks;

		if (diff->value)
			continue;
		if (ticks < EVIDENCE_FLOOR)
			return error_set(reterr, -ENODATA,
					 "diff: only %d sample%s %s: too few to compare (%d at "
					 "least): run longer or raise -F",
					 (int)ticks, ticks == 1 ? "" : "s",
					 side == DIFF_BEFORE ? "before" : "after", EVIDENCE_FLOOR);
		if (diff->per != DIFF_PER_TICKS && !(diff->totals[side].seconds > 0))
			return error_set(reterr, -EINVAL,
					 "diff: --per: a profile does not say what CPU time its "
					 "samples stand for: compare it --per samples");
	}
	return 0;
}

/* ---- values ---- */

/* So much of the value; times are in nanoseconds. */
static double amount(const struct differ *differ, uint64_t ticks)
{
	return (double)ticks / (histogram_value_is_time(differ->options->value - 1) ? 1e9 : 1);
}

/* The kernel's own figure is the better one: samples are an estimate. */
static double cpu_seconds(const struct profile_facts *facts)
{
	if (facts->cpu_ns)
		return (double)facts->cpu_ns / 1e9;
	return (double)facts->samples * (double)facts->period_ns / 1e9;
}

static void add_totals(struct differ *differ)
{
	struct diff *diff = differ->diff;
	bool known[DIFF_SIDES] = {true, true};

	for (size_t run = 0; run < differ->run_count; run++) {
		enum diff_side side;
		const struct profile *profile = differ_run(differ, run, &side);
		struct diff_total *total = &diff->totals[side];

		differ->run_seconds[run] = diff->value ? amount(differ, differ->run_ticks[run])
						       : cpu_seconds(&profile->facts);
		known[side] &= differ->run_seconds[run] > 0;
		total->seconds += differ->run_seconds[run];
		total->ticks = ticks_add(total->ticks, differ->run_ticks[run]);
		total->runs++;
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		if (!known[side] && !diff->value)
			diff->totals[side].seconds = 0;
}

/* The units of work that one run has done. */
static double work_of(const struct differ *differ, enum diff_side side)
{
	return differ->diff->per == DIFF_PER_UNIT ? differ->options->work[side] : 1;
}

/* What all of SIDE, or all of one RUN, comes to. */
static double side_value(const struct differ *differ, enum diff_side side)
{
	const struct diff_total *total = &differ->diff->totals[side];

	if (differ->diff->per == DIFF_PER_TICKS)
		return 1;
	return total->seconds / ((double)total->runs * work_of(differ, side));
}

static double run_value(const struct differ *differ, size_t run)
{
	enum diff_side side;

	(void)differ_run(differ, run, &side);
	if (differ->diff->per == DIFF_PER_TICKS)
		return 1;
	return differ->run_seconds[run] / work_of(differ, side);
}

/* ---- comparing ---- */

/* The values of a row, or (TICKS NULL) of the whole, in each run; runs without a sample are left
 * out, for they have no shares.  VALUES has a place for each run. */
static void values_of_runs(const struct differ *differ, const uint64_t *ticks, double *values,
			   struct runs ret_runs[DIFF_SIDES])
{
	size_t count = 0;

	ret_runs[DIFF_BEFORE] = ret_runs[DIFF_AFTER] = (struct runs){values, 0};
	for (size_t run = 0; run < differ->run_count; run++) {
		enum diff_side side;

		(void)differ_run(differ, run, &side);
		if (!differ->run_ticks[run] && !differ->diff->value)
			continue;
		if (!ret_runs[side].count++)
			ret_runs[side].values = &values[count];
		values[count] = run_value(differ, run);
		if (ticks && differ->run_ticks[run])
			values[count] *= (double)ticks[run] / (double)differ->run_ticks[run];
		count++;
	}
}

/* The larger of two probabilities is one, too, whichever of both knows how the runs vary. */
static void compare_row(struct differ *differ, size_t index, double *values, struct test *test)
{
	struct diff_row *row = &differ->diff->rows[index];
	struct proportion before = diff_proportion(differ->diff, row, DIFF_BEFORE);
	struct proportion after = diff_proportion(differ->diff, row, DIFF_AFTER);
	struct runs runs[DIFF_SIDES];

	row->parts[DIFF_BEFORE].value = before.scale * (double)before.ticks / (double)before.total;
	row->parts[DIFF_AFTER].value = after.scale * (double)after.ticks / (double)after.total;
	row->change = row->parts[DIFF_AFTER].value - row->parts[DIFF_BEFORE].value;
	row->interval = significance_interval(&before, &after);
	test->probability = significance_of_counts(&before, &after);
	test->attainable = significance_attainable(&before, &after);
	if (differ->run_count < 3)
		return;
	values_of_runs(differ, &differ->ticks[index * differ->run_count], values, runs);
	test->probability =
		fmax(test->probability, significance_of_runs(runs[DIFF_BEFORE], runs[DIFF_AFTER]));
	diff_widen(&row->interval, row->change,
		   significance_half_width(runs[DIFF_BEFORE], runs[DIFF_AFTER]));
}

/* In how many runs a row is does not depend on which side they are of: in one, nothing could be
 * significant. */
static double least_attainable(const struct differ *differ, size_t index)
{
	const uint64_t *ticks = &differ->ticks[index * differ->run_count];
	size_t count = 0;

	for (size_t run = 0; run < differ->run_count; run++)
		count += ticks[run] > 0;
	return count < 2 ? 1 : 0;
}

/* The same of a value, of which only the runs tell. */
static void compare_row_value(struct differ *differ, size_t index, double *values,
			      struct test *test)
{
	struct diff_row *row = &differ->diff->rows[index];
	struct runs runs[DIFF_SIDES];
	double half;

	for (int side = 0; side < DIFF_SIDES; side++)
		row->parts[side].value =
			amount(differ, row->parts[side].ticks) /
			((double)differ->sides[side].count * work_of(differ, (enum diff_side)side));
	row->change = row->parts[DIFF_AFTER].value - row->parts[DIFF_BEFORE].value;
	values_of_runs(differ, &differ->ticks[index * differ->run_count], values, runs);
	half = significance_half_width(runs[DIFF_BEFORE], runs[DIFF_AFTER]);
	row->interval = (struct interval){row->change - half, row->change + half};
	*test = (struct test){.probability = 1, .attainable = 1};
	if (differ->run_count < 3)
		return;
	test->probability = significance_of_runs(runs[DIFF_BEFORE], runs[DIFF_AFTER]);
	test->attainable = least_attainable(differ, index);
}

static void compare_totals(struct differ *differ, double *values)
{
	struct diff *diff = differ->diff;
	struct runs runs[DIFF_SIDES];
	double half;

	diff->total_change = diff->totals[DIFF_AFTER].value - diff->totals[DIFF_BEFORE].value;
	values_of_runs(differ, NULL, values, runs);
	half = significance_half_width(runs[DIFF_BEFORE], runs[DIFF_AFTER]);
	diff->total_interval =
		(struct interval){diff->total_change - half, diff->total_change + half};
	diff->total_probability = 1;
	if (diff->per != DIFF_PER_TICKS)
		diff->total_probability = significance_of_runs(runs[DIFF_BEFORE], runs[DIFF_AFTER]);
}

static enum diff_match match_of(const struct diff_row *row)
{
	const struct diff_part *before = &row->parts[DIFF_BEFORE], *after = &row->parts[DIFF_AFTER];

	if (!before->ticks)
		return DIFF_NEW;
	if (!after->ticks)
		return DIFF_GONE;
	if (*row->moved_from)
		return DIFF_MOVED;
	return *before->build_id && !strcmp(before->build_id, after->build_id) ? DIFF_SAME
									       : DIFF_NAMED;
}

static int compare_all(struct differ *differ)
{
	struct diff *diff = differ->diff;
	struct test *tests = calloc(diff->row_count + 1, sizeof(*tests));
	double *values = calloc(differ->run_count + 1, sizeof(*values));
	int ret = tests && values ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < diff->row_count; i++)
		(diff->value ? compare_row_value : compare_row)(differ, i, values, &tests[i]);
	if (!ret && differ->run_count < 3 && !differ->options->sampling_alone && !diff->value)
		ret = diff_single(differ->diff, tests);
	if (!ret) {
		compare_totals(differ, values);
		ret = significance_adjust(tests, diff->row_count);
	}
	for (size_t i = 0; ret >= 0 && i < diff->row_count; i++) {
		diff->rows[i].probability = tests[i].adjusted;
		diff->rows[i].significant = tests[i].adjusted <= SIGNIFICANCE_LEVEL;
		diff->rows[i].match = match_of(&diff->rows[i]);
	}
	diff->compared = ret > 0 ? (size_t)ret : 0;
	free(tests);
	free(values);
	return ret < 0 ? ret : 0;
}

/* ---- order ---- */

static int compare_rows(const void *left, const void *right)
{
	const struct diff_row *a = left, *b = right;
	double a_change = fabs(a->change), b_change = fabs(b->change);
	int order;

	if (a->significant != b->significant)
		return a->significant ? -1 : 1;
	if (a_change != b_change)
		return a_change > b_change ? -1 : 1;
	order = strcmp(a->name, b->name);
	order = order ? order : strcmp(a->function, b->function);
	order = order ? order : strcmp(a->path, b->path);
	order = order ? order : strcmp(a->file, b->file);
	return order ? order : (a->line > b->line) - (a->line < b->line);
}

/* ---- all of it ---- */

static int build(struct differ *differ, struct error *reterr)
{
	struct diff *diff = differ->diff;
	int ret = check_event(differ, reterr);

	ret = ret ? ret : check_stacks(differ, reterr);
	ret = ret ? ret : check_periods(differ, reterr);
	ret = ret ? ret : diff_rows_build(differ);
	if (ret)
		return ret;
	add_totals(differ);
	ret = check_totals(diff, reterr);
	if (ret)
		return ret;
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->totals[side].value = side_value(differ, (enum diff_side)side);
	if (diff->by == TABLE_BY_FUNCTION && !diff->by_path)
		diff_rows_move(differ);
	ret = compare_all(differ);
	if (!ret)
		ARRAY_SORT(diff->rows, diff->row_count, compare_rows);
	return ret;
}

static int make_room(struct differ *differ)
{
	differ->diff = calloc(1, sizeof(*differ->diff));
	differ->keys = strings_new();
	differ->run_ticks = calloc(differ->run_count + 1, sizeof(*differ->run_ticks));
	differ->run_seconds = calloc(differ->run_count + 1, sizeof(*differ->run_seconds));
	differ->numbers = calloc(differ->run_count + 1, sizeof(*differ->numbers));
	if (!differ->diff || !differ->keys || !differ->run_ticks || !differ->run_seconds ||
	    !differ->numbers)
		return -ENOMEM;
	differ->diff->by = differ->options->by;
	differ->diff->by_path = differ->options->by_path;
	differ->diff->value = differ->options->value;
	differ->diff->per = differ->options->per;
	differ->diff->strings = strings_new();
	return differ->diff->strings ? 0 : -ENOMEM;
}

static void clear_away(struct differ *differ)
{
	for (size_t run = 0; differ->numbers && run < differ->run_count; run++)
		free(differ->numbers[run]);
	free(differ->numbers);
	free(differ->run_ticks);
	free(differ->run_seconds);
	free(differ->ticks);
	free(differ->votes);
	strings_free(differ->keys);
	diff_paths_done(&differ->paths);
	diff_objects_done(&differ->objects);
}

int diff_build(const struct diff_profiles sides[DIFF_SIDES], const struct diff_options *options,
	       struct diff **ret_diff, struct error *reterr)
{
	struct differ differ = {
		.sides = sides,
		.options = options,
		.run_count = sides[DIFF_BEFORE].count + sides[DIFF_AFTER].count,
	};
	regex_t regex;
	int ret = 0;

	if (options->function) {
		ret = table_compile_function(options->function, &regex, reterr);
		if (ret)
			return ret;
		differ.function = &regex;
	}
	ret = make_room(&differ);
	ret = ret ? ret : build(&differ, reterr);
	clear_away(&differ);
	if (differ.function)
		regfree(&regex);
	if (ret)
		(void)diff_free(differ.diff);
	else
		*ret_diff = differ.diff;
	return ret;
}

struct diff *diff_free(struct diff *diff)
{
	if (!diff)
		return NULL;
	strings_free(diff->strings);
	free(diff->rows);
	free(diff);
	return NULL;
}
