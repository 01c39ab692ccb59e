// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include "dice.h"
#include "profile/pprof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* How often a diff sees what is not there, and how often what is: a real profile of sqlite3
 * (tests/data) is taken for the truth, and runs of it are drawn, tick by tick, as a clock that is
 * independent of the program draws them. */

#define RUNS_MAX 10
#define DEPTHS_MAX 64
#define PAIRS 1000

/* The diff promises that at most 5 % of pairs of repeats show any change.  Were it just 5 %, more
 * than 86 of 1,000 would come with probability 6.5e-7 (the binomial's tail, summed exactly). */
#define ALARMS_MAX 86
#define ALARMS_OF_DEPTH 92

struct truth {
	struct profile *profile, *runs[RUNS_MAX];
	uint64_t *sums;	 /* of the cells' weights, up to and with each */
	double *factors; /* of each function, how this run differs by itself */
	uint64_t dice;
	bool has_stacks; /* rows are frames */
};

static void open_truth(struct truth *truth, const char *path)
{
	struct error error;

	*truth = (struct truth){.dice = 7};
	assert_int_equal(pprof_read(path, &truth->profile, &error), 0);
	for (size_t i = 0; i < RUNS_MAX; i++)
		assert_int_equal(pprof_read(path, &truth->runs[i], &error), 0);
	truth->sums = calloc(truth->profile->cell_count, sizeof(*truth->sums));
	truth->factors = calloc(truth->profile->function_count, sizeof(*truth->factors));
	assert_true(truth->sums && truth->factors);
}

static void close_truth(struct truth *truth)
{
	for (size_t i = 0; i < RUNS_MAX; i++)
		(void)profile_free(truth->runs[i]);
	(void)profile_free(truth->profile);
	free(truth->sums);
	free(truth->factors);
}

/* Normal, near enough: the sum of twelve that are uniform. */
static double draw_normal(uint64_t *dice)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)dice_below(dice, 1 << 20) / (1 << 20);
	return sum;
}

/* Runs of a real program differ by more than ticks do: by SPREAD of a function's time, and by three
 * times that in each tenth function. */
static void disturb(struct truth *truth, double spread)
{
	for (size_t i = 0; i < truth->profile->function_count; i++) {
		double more = dice_below(&truth->dice, 10) ? 1 : 3;

		truth->factors[i] = exp(spread * more * draw_normal(&truth->dice));
	}
}

/* Weights are ticks x 1,000; the function SLOW has FACTOR times as many. */
static void set_weights(struct truth *truth, const char *slow, double factor)
{
	const struct profile *profile = truth->profile;
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];
		const struct profile_line *line = &profile->lines[location->first_line];
		uint32_t function = location->line_count ? line->function : 0;
		const char *name = profile_text(profile, profile->functions[function].name);

		sum += (uint64_t)((double)cell->ticks * 1000 * truth->factors[function] *
				  (strcmp(name, slow) ? 1 : factor));
		truth->sums[i] = sum;
	}
}

static size_t draw(struct truth *truth)
{
	size_t low = 0, high = truth->profile->cell_count - 1;
	uint64_t dice = dice_below(&truth->dice, truth->sums[high]);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (truth->sums[middle] > dice)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Run NUMBER anew, of TICKS: the truth's places, with other ticks. */
static void draw_run(struct truth *truth, size_t number, uint64_t ticks)
{
	struct profile *run = truth->runs[number];

	for (size_t i = 0; i < run->cell_count; i++)
		run->cells[i].ticks = 0;
	for (uint64_t i = 0; i < ticks; i++)
		run->cells[draw(truth)].ticks++;
	run->facts.samples = ticks;
	run->facts.cpu_ns = ticks * run->facts.period_ns;
}

static struct diff *diff_of(struct truth *truth, size_t runs, enum diff_per per)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{truth->runs, runs},
							{truth->runs + runs, runs}};
	struct diff_options options = {
		.by = TABLE_BY_FUNCTION, .per = per, .by_frame = truth->has_stacks};
	struct diff *diff = NULL;

	assert_int_equal(diff_build(sides, &options, &diff, NULL), 0);
	return diff;
}

/* Runs of both sides of what has not changed.  SPREAD: of functions, and of whole runs, from one to
 * the next. */
static struct diff *diff_of_repeats(struct truth *truth, size_t runs, uint64_t ticks,
				    enum diff_per per, double spread)
{
	for (size_t i = 0; i < 2 * runs; i++) {
		double whole = exp(spread * draw_normal(&truth->dice));

		disturb(truth, spread);
		set_weights(truth, "", 1);
		draw_run(truth, i, (uint64_t)((double)ticks * whole));
	}
	return diff_of(truth, runs, per);
}

static void count_alarms(struct truth *truth, size_t runs, uint64_t ticks, enum diff_per per,
			 double spread)
{
	int alarms = 0;

	for (int pair = 0; pair < PAIRS; pair++) {
		struct diff *diff = diff_of_repeats(truth, runs, ticks, per, spread);

		alarms += diff->row_count && diff->rows[0].significant;
		(void)diff_free(diff);
	}
	print_message("# %zu runs a side of %llu ticks, spread %g: %d false alarms in %d pairs\n",
		      runs, (unsigned long long)ticks, spread, alarms, PAIRS);
	assert_true(alarms <= ALARMS_MAX);
}

static void test_false_alarms(void **state)
{
	count_alarms(*state, 1, 2000, DIFF_PER_TICKS, 0);
	count_alarms(*state, 1, 2000, DIFF_PER_RUN, 0);
}

static void test_false_alarms_of_runs_that_vary(void **state)
{
	count_alarms(*state, 1, 2000, DIFF_PER_TICKS, 0.1);
	count_alarms(*state, 1, 2000, DIFF_PER_RUN, 0.1);
	count_alarms(*state, 1, 20000, DIFF_PER_RUN, 0.05);
}

static void test_false_alarms_of_repeats(void **state)
{
	count_alarms(*state, 3, 700, DIFF_PER_TICKS, 0);
	count_alarms(*state, 3, 700, DIFF_PER_RUN, 0.1);
}

/* By frame, each depth is a comparison of its own, so that each has an alarm in 5 % of pairs at
 * most; that one of the 64 there can be has more than ALARMS_OF_DEPTH is less likely than 1e-6 (the
 * binomial's tail, 64 times). */
static void count_alarms_of_frames(struct truth *truth, size_t runs, uint64_t ticks,
				   enum diff_per per, double spread)
{
	int alarms[DEPTHS_MAX] = {0}, pages = 0, most = 0;

	for (int pair = 0; pair < PAIRS; pair++) {
		struct diff *diff = diff_of_repeats(truth, runs, ticks, per, spread);
		uint32_t last = UINT32_MAX;
		bool any = false;

		for (size_t i = 0; i < diff->row_count; i++) {
			uint32_t depth = diff->rows[i].depth;

			if (!diff->rows[i].significant || depth == last)
				continue;
			assert_true(depth < DEPTHS_MAX);
			alarms[depth]++;
			any = true;
			last = depth;
		}
		pages += any;
		(void)diff_free(diff);
	}
	for (int depth = 0; depth < DEPTHS_MAX; depth++)
		most = alarms[depth] > most ? alarms[depth] : most;
	print_message("# frames, %zu runs a side of %llu ticks, spread %g: of %d pairs %d had an "
		      "alarm, and at one depth %d at most\n",
		      runs, (unsigned long long)ticks, spread, PAIRS, pages, most);
	assert_true(most <= ALARMS_OF_DEPTH);
}

static void test_false_alarms_of_frames(void **state)
{
	struct truth truth;

	open_truth(&truth, TESTS "/data/profiles/calls-old-1.pb.gz");
	truth.has_stacks = true;
	count_alarms_of_frames(&truth, 1, 2000, DIFF_PER_TICKS, 0);
	count_alarms_of_frames(&truth, 1, 2000, DIFF_PER_RUN, 0.1);
	count_alarms_of_frames(&truth, 3, 700, DIFF_PER_TICKS, 0);
	count_alarms_of_frames(&truth, 3, 700, DIFF_PER_RUN, 0);
	count_alarms_of_frames(&truth, 3, 700, DIFF_PER_RUN, 0.1);
	close_truth(&truth);
}

/* In how many of 100 pairs it is found that sqlite3VdbeExec (37 % of the time) takes FACTOR times
 * as long. */
static int power(struct truth *truth, size_t runs, uint64_t ticks, double factor)
{
	int found = 0;

	disturb(truth, 0);
	for (int pair = 0; pair < 100; pair++) {
		struct diff *diff;

		set_weights(truth, "", 1);
		for (size_t i = 0; i < runs; i++)
			draw_run(truth, i, ticks);
		set_weights(truth, "sqlite3VdbeExec", factor);
		for (size_t i = runs; i < 2 * runs; i++)
			draw_run(truth, i,
				 ticks + (uint64_t)((double)ticks * 0.374 * (factor - 1)));
		diff = diff_of(truth, runs, DIFF_PER_RUN);
		for (size_t i = 0; i < diff->row_count && diff->rows[i].significant; i++)
			found += !strcmp(diff->rows[i].name, "sqlite3VdbeExec") &&
				 diff->rows[i].change > 0;
		(void)diff_free(diff);
	}
	print_message("# %zu runs a side of %llu ticks: %g times as long is found in %d of 100\n",
		      runs, (unsigned long long)ticks, factor, found);
	return found;
}

/* The manual has these figures.  The dice fall in the same way each time, so that this does not
 * fail by chance. */
static void test_power(void **state)
{
	assert_in_range(power(*state, 1, 5000, 1.1), 0, 20);
	assert_in_range(power(*state, 1, 5000, 1.5), 20, 60);
	assert_in_range(power(*state, 1, 5000, 2), 80, 100);
	assert_in_range(power(*state, 5, 4000, 1.1), 80, 100);
}

static int set_up(void **state)
{
	static struct truth truth;

	open_truth(&truth, TESTS "/data/sqlite3.pb.gz");
	*state = &truth;
	return 0;
}

static int tear_down(void **state)
{
	close_truth(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_false_alarms_of_runs_that_vary),
		cmocka_unit_test(test_false_alarms_of_repeats),
		cmocka_unit_test(test_false_alarms_of_frames),
		cmocka_unit_test(test_power),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
