// SPDX-License-Identifier: BSD-2-Clause
/* repeats samples|run SIZE PAIRS FILE...: of the profiles in FILE, repeats of one program, draw
 * PAIRS pairs of SIZE runs a side and compare them; say how many show a significant row (a false
 * alarm), and in how many a function that is made a tenth slower in the runs after is found. */
#include "analysis/diff.h"
#include "profile/pprof.h"

#include "../tests/unit/dice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX 64

static struct profile *runs[RUNS_MAX], *slow[RUNS_MAX];
static size_t run_count;
static char hottest[256];
static struct diff_options options = {.by = TABLE_BY_FUNCTION, .work = {1, 1}};

static const char *name_of(const struct profile *profile, const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];

	if (!location->line_count)
		return "";
	return profile_text(profile,
			    profile->functions[profile->lines[location->first_line].function].name);
}

/* A run in which the hottest function has a tenth more ticks, each of them drawn. */
static void slow_down(struct profile *profile, uint64_t *dice)
{
	uint64_t more = 0;

	for (size_t i = 0; i < profile->cell_count; i++) {
		struct profile_cell *cell = &profile->cells[i];
		uint64_t ticks = strcmp(name_of(profile, cell), hottest) ? 0 : cell->ticks;

		for (uint64_t tick = 0; tick < ticks; tick++) {
			uint64_t drawn = dice_below(dice, 10) == 0;

			cell->ticks += drawn;
			more += drawn;
		}
	}
	profile->facts.cpu_ns += more * profile->facts.period_ns;
	profile->facts.samples += more;
}

static struct profile *read_run(const char *path)
{
	struct profile *profile;
	struct error error;

	if (!pprof_read(path, &profile, &error))
		return profile;
	(void)fprintf(stderr, "repeats: %s\n", error.text);
	exit(2);
}

static struct diff *compare(struct profile *const *before, struct profile *const *after,
			    size_t size)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{before, size}, {after, size}};
	struct error error = {""};
	struct diff *diff;

	if (!diff_build(sides, &options, &diff, &error))
		return diff;
	(void)fprintf(stderr, "repeats: %s\n", error.text);
	exit(2);
}

static void find_hottest(void)
{
	struct table_options what = {.by = TABLE_BY_FUNCTION};
	struct error error;
	struct table *table;

	if (table_build(runs[0], &what, &table, &error))
		exit(2);
	(void)snprintf(hottest, sizeof(hottest), "%s", table->rows[0].name);
	(void)table_free(table);
}

static void shuffle(uint64_t *dice, size_t *order)
{
	for (size_t i = run_count; i > 1; i--) {
		size_t other = dice_below(dice, i), taken = order[i - 1];

		order[i - 1] = order[other];
		order[other] = taken;
	}
}

static bool finds(const struct diff *diff)
{
	for (size_t i = 0; i < diff->row_count && diff->rows[i].significant; i++)
		if (!strcmp(diff->rows[i].name, hottest) && diff->rows[i].change > 0)
			return true;
	return false;
}

static void count(size_t size, int pairs)
{
	struct profile *before[RUNS_MAX], *after[RUNS_MAX], *slower[RUNS_MAX];
	size_t order[RUNS_MAX];
	int alarms = 0, found = 0;
	uint64_t dice = 11;

	for (size_t i = 0; i < run_count; i++)
		order[i] = i;
	for (int pair = 0; pair < pairs; pair++) {
		struct diff *diff;

		shuffle(&dice, order);
		for (size_t i = 0; i < size; i++) {
			before[i] = runs[order[i]];
			after[i] = runs[order[size + i]];
			slower[i] = slow[order[size + i]];
		}
		diff = compare(before, after, size);
		alarms += diff->row_count && diff->rows[0].significant;
		(void)diff_free(diff);
		diff = compare(before, slower, size);
		found += finds(diff);
		(void)diff_free(diff);
	}
	(void)printf("%d %d %s\n", alarms, found, hottest);
}

int main(int argc, char **argv)
{
	uint64_t dice = 13;
	size_t size;

	if (argc < 6 || argc - 4 > RUNS_MAX) {
		(void)fprintf(stderr, "usage: repeats samples|run SIZE PAIRS FILE...\n");
		return 2;
	}
	options.per = strcmp(argv[1], "run") ? DIFF_PER_TICKS : DIFF_PER_RUN;
	size = (size_t)atoi(argv[2]);
	for (int i = 4; i < argc; i++, run_count++)
		runs[run_count] = read_run(argv[i]);
	if (2 * size > run_count)
		return 2;
	find_hottest();
	for (size_t i = 0; i < run_count; i++) {
		slow[i] = read_run(argv[4 + i]);
		slow_down(slow[i], &dice);
	}
	count(size, atoi(argv[3]));
	return 0;
}
