// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/cross_check.h"

#include "analysis/diff.h"
#include "cmd/command.h"
#include "cmd/measuring.h"
#include "cmd/reading.h"
#include "engine/clock.h"
#include "profile/beside.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct check {
	const struct engine_ops *engines[DIFF_SIDES];
	const char *files[DIFF_SIDES];
	struct profile *profiles[DIFF_SIDES];
	/* The one that sees no kernel where the other may, or NULL. */
	const struct engine_ops *blind;
	char *second_file; /* heap */
};

/* Whether the engine numbered I can do what is asked of PROGRAM. */
static int can(const struct measure_options *options, size_t i, const char *program,
	       struct error *reterr)
{
	struct engine_wish wish = measuring_wish(options);
	const struct engine_ops *ops;
	struct error none;
	int ret;

	wish.name = engine_list[i]->name;
	ret = engine_choose(&wish, &ops, &none, reterr);
	return !ret && ops->accepts ? ops->accepts(program, reterr) : ret;
}

/* The two best engines that can. */
static int choose(const struct measure_options *options, const char *program, struct check *check)
{
	struct error why = {""};
	size_t found = 0;

	for (size_t i = 0; engine_list[i] && found < DIFF_SIDES; i++) {
		struct error refused;

		if (!can(options, i, program, &refused))
			check->engines[found++] = engine_list[i];
		else if (!*why.text)
			why = refused;
	}
	return found == DIFF_SIDES
		       ? 0
		       : cmd_fail("--cross-check: needs two engines that work: %s", why.text);
}

/* Ticks that come several at a time are no several witnesses: chance is judged at the rate at which
 * both engines see. */
static void hold_period(const struct check *check, struct measure_options *by)
{
	struct timespec tick = {};
	uint64_t least;

	if (!check->engines[DIFF_BEFORE]->sees_at_ticks &&
	    !check->engines[DIFF_AFTER]->sees_at_ticks)
		return;
	(void)clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	least = clock_odd_period((uint64_t)tick.tv_nsec * 5 / 4);
	if (by->engine.period_ns < least)
		by->engine.period_ns = least;
}

/* Which file stands at PATH: a profile that is written takes the place of another as a new one. */
static struct stat standing(const char *path)
{
	struct stat status = {};

	if (stat(path, &status))
		status = (struct stat){};
	return status;
}

/* Returns the exit status.  *RET_WRITTEN is whether there is a profile of it; profil has said why
 * not. */
static int measure_by(const struct measure_options *options, const struct check *check,
		      enum diff_side side, char **argv, bool *ret_written)
{
	struct stat old = standing(check->files[side]), new;
	struct measure_options by = *options;
	sigset_t before;
	int status;

	by.engine_name = check->engines[side]->name;
	by.keeping.output = check->files[side];
	hold_period(check, &by);
	by.keeping.no_report = true;
	/* A measurement ends with its signals blocked: the next program must not be born so. */
	sigprocmask(SIG_SETMASK, NULL, &before);
	status = measure_program(&by, argv);
	sigprocmask(SIG_SETMASK, &before, NULL);
	new = standing(check->files[side]);
	*ret_written = new.st_ino && (new.st_ino != old.st_ino || new.st_dev != old.st_dev);
	return status;
}

static int read_both(struct check *check, struct error *reterr)
{
	struct symbols *symbols;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, reterr);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < DIFF_SIDES && ret >= 0; i++) {
		ret = reading_open(check->files[i], NULL, &check->profiles[i], reterr);
		if (ret >= 0)
			ret = reading_name(check->profiles[i], symbols);
	}
	(void)symbols_close(symbols);
	return ret;
}

static void say_row(const struct check *check, const struct diff_row *row)
{
	(void)cmd_fail("cross-check: %s in %s: %.1f %% by %s, %.1f %% by %s: by chance with "
		       "probability %.2g",
		       row->name, row->object, 100 * row->parts[DIFF_BEFORE].value,
		       check->engines[DIFF_BEFORE]->name, 100 * row->parts[DIFF_AFTER].value,
		       check->engines[DIFF_AFTER]->name, row->probability);
}

/* Returns how many functions differ. */
static size_t say(const struct check *check, const struct diff *diff)
{
	size_t differ = 0;

	for (size_t i = 0; i < diff->row_count; i++) {
		if (!diff->rows[i].significant)
			continue;
		say_row(check, &diff->rows[i]);
		differ++;
	}
	(void)cmd_fail("cross-check: %s with %" PRIu64 " samples and %s with %" PRIu64
		       " %s: %zu of %zu function%s differ%s by more than chance would once in "
		       "twenty such checks%s%s%s",
		       check->engines[DIFF_BEFORE]->title, diff->totals[DIFF_BEFORE].ticks,
		       check->engines[DIFF_AFTER]->title, diff->totals[DIFF_AFTER].ticks,
		       differ ? "disagree" : "agree", differ, diff->compared,
		       diff->compared == 1 ? "" : "s", differ == 1 ? "s" : "",
		       check->blind ? "; the kernel's are left out, which the " : "",
		       check->blind ? check->blind->title : "",
		       check->blind ? " does not see here" : "");
	return differ;
}

/* Timers see no kernel, and perf events may be kept from it. */
static void find_blind(struct check *check)
{
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		struct profile_account account;

		profile_account(check->profiles[i], &account);
		if (check->engines[i]->sees_at_ticks || account.unresolved[UNRESOLVED_HIDDEN])
			check->blind = check->engines[i];
	}
}

static bool is_kernels(const struct profile *profile, const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];

	if (location->kind == LOCATION_UNRESOLVED)
		return location->address == UNRESOLVED_HIDDEN;
	return profile->mappings[location->mapping].class == CLASS_KERNEL;
}

/* What one of both cannot see is no disagreement: shares are those of all else. */
static void leave_kernel_out(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->cell_count; i++)
		if (!is_kernels(profile, &profile->cells[i]))
			profile->cells[kept++] = profile->cells[i];
	profile->cell_count = kept;
}

static int compare(struct check *check)
{
	/* That two engines differ in all rows must not excuse each of them. */
	const struct diff_options what = {
		.by = TABLE_BY_FUNCTION, .work = {1, 1}, .sampling_alone = true};
	struct error why = {""};
	struct diff *diff;
	int ret = read_both(check, &why);
	const struct diff_profiles sides[DIFF_SIDES] = {{&check->profiles[DIFF_BEFORE], 1},
							{&check->profiles[DIFF_AFTER], 1}};
	size_t differ;

	if (ret >= 0)
		find_blind(check);
	for (size_t i = 0; check->blind && i < DIFF_SIDES; i++)
		leave_kernel_out(check->profiles[i]);
	if (ret >= 0)
		ret = diff_build(sides, &what, &diff, &why);
	for (size_t i = 0; i < DIFF_SIDES; i++)
		profile_free(check->profiles[i]);
	if (ret < 0)
		return cmd_fail_error(ret, &why);
	differ = say(check, diff);
	(void)diff_free(diff);
	return differ ? EXIT_PROFIL : 0;
}

static int run_both(const struct measure_options *options, struct check *check, char **argv)
{
	bool is_written;
	int status = measure_by(options, check, DIFF_BEFORE, argv, &is_written);
	int second, ret;

	if (!is_written)
		return status ? status : EXIT_PROFIL;
	second = measure_by(options, check, DIFF_AFTER, argv, &is_written);
	if (!is_written)
		return second ? second : EXIT_PROFIL;
	if (second != status)
		return cmd_fail("cross-check: %s: ended with %d, then with %d: take one that does "
				"the same twice",
				argv[0], status, second);
	ret = compare(check);
	return ret ? ret : status;
}

/* What is written is read again. */
static int refuse_device(const char *path)
{
	struct stat there = standing(path);

	if (!there.st_ino || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
		return 0;
	return cmd_fail("--cross-check: %s: not a file that can be read again: name one with -o",
			path);
}

int cross_check(const struct measure_options *options, char **argv)
{
	struct check check = {0};
	int status;

	if (strcmp(options->engine_name, "auto") != 0)
		return cmd_fail("--cross-check: takes the two best engines: leave out --engine %s",
				options->engine_name);
	status = choose(options, argv[0], &check);
	if (!status)
		status = refuse_device(options->keeping.output);
	if (status)
		return status;
	check.second_file = beside(options->keeping.output, check.engines[DIFF_AFTER]->name);
	if (!check.second_file)
		return cmd_fail("out of memory: free some");
	check.files[DIFF_BEFORE] = options->keeping.output;
	check.files[DIFF_AFTER] = check.second_file;
	status = run_both(options, &check, argv);
	free(check.second_file);
	return status;
}
