// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

/* So much of the value; times are in nanoseconds. */
static double amount(const struct differ *differ, uint64_t ticks)
{
	return (double)ticks / (histogram_value_is_time(differ->options->value - 1) ? 1e9 : 1);
}

/* The kernel's own figure is the better one: samples are an estimate. */
static double cpu_seconds(const struct profile_facts *facts)
{
	if (facts->period) /* samples of something else */
		return 0;
	if (facts->cpu_ns)
		return (double)facts->cpu_ns / 1e9;
	return (double)facts->samples * (double)facts->period_ns / 1e9;
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

void diff_add_totals(struct differ *differ)
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
	for (int side = 0; side < DIFF_SIDES; side++)
		diff->totals[side].value = side_value(differ, (enum diff_side)side);
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

/* COUNT rows from FIRST on, which share out the samples: what is compared at once. */
static int compare_group(struct differ *differ, size_t first, size_t count, double *values,
			 struct test *tests)
{
	struct diff *diff = differ->diff;
	struct diff_row *rows = &diff->rows[first];
	int ret = 0;

	for (size_t i = 0; i < count; i++)
		(diff->value ? compare_row_value : compare_row)(differ, first + i, values,
								&tests[i]);
	if (differ->run_count < 3 && !differ->options->sampling_alone && !diff->value)
		ret = diff_single(diff, rows, count, tests);
	if (!ret)
		ret = significance_adjust(tests, count);
	for (size_t i = 0; ret >= 0 && i < count; i++) {
		rows[i].probability = tests[i].adjusted;
		rows[i].significant = tests[i].adjusted <= SIGNIFICANCE_LEVEL;
		rows[i].match = match_of(&rows[i]);
	}
	diff->compared += ret > 0 ? (size_t)ret : 0;
	return ret < 0 ? ret : 0;
}

int diff_compare(struct differ *differ)
{
	struct diff *diff = differ->diff;
	struct test *tests = calloc(diff->row_count + 1, sizeof(*tests));
	double *values = calloc(differ->run_count + 1, sizeof(*values));
	int ret = tests && values ? 0 : -ENOMEM;
	size_t count;

	for (size_t first = 0; !ret && first < diff->row_count; first += count) {
		for (count = 1; first + count < diff->row_count &&
				diff->rows[first + count].depth == diff->rows[first].depth;)
			count++;
		ret = compare_group(differ, first, count, values, tests);
	}
	if (!ret)
		compare_totals(differ, values);
	free(tests);
	free(values);
	return ret;
}
