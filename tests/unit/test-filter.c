// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/filter.h"

#include "sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static uint64_t sum(const struct profile *profile)
{
	struct profile_account account;

	profile_account(profile, &account);
	return account.total;
}

/* What is left is a profile of its own: what was fired is what its cells hold. */
static void check_part(struct filter filter, uint64_t ticks, const char *command)
{
	struct profile *profile = sample_profile(/* by_thread= */ true);
	struct error why = {""};

	assert_int_equal(filter_apply(&filter, profile, &why), 0);
	assert_int_equal(sum(profile), ticks);
	assert_int_equal(profile->facts.samples, ticks);
	assert_int_equal(profile->facts.cpu_ns, 0);
	assert_string_equal(profile_text(profile, profile->facts.command), command);
	(void)profile_free(profile);
}

static void check_refused(struct filter filter, bool by_thread, int code, const char *says)
{
	struct profile *profile = sample_profile(by_thread);
	uint64_t before = sum(profile);
	struct error why = {""};

	assert_int_equal(filter_apply(&filter, profile, &why), code);
	assert_string_equal(why.text, says);
	assert_int_equal(sum(profile), before);
	(void)profile_free(profile);
}

static void test_parts(void **state)
{
	struct profile *profile = sample_profile(/* by_thread= */ true);
	uint64_t all = sum(profile), worker = 0, nobodys = 0;
	char *command;

	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].task == PROFILE_NO_TASK)
			nobodys += profile->cells[i].ticks;
		else if (profile->tasks[profile->cells[i].task].tid == 43)
			worker += profile->cells[i].ticks;
	(void)profile_free(profile);
	assert_true(worker > 0 && nobodys > 0);
#define CHECK(what, filter_, ticks)                                                   \
	assert_true(asprintf(&command,                                                \
			     "xz -9k file (only" what                                 \
			     ": %llu of %llu samples; %llu are of no known process)", \
			     (unsigned long long)(ticks), (unsigned long long)all,    \
			     (unsigned long long)nobodys) > 0);                       \
	check_part(filter_, ticks, command);                                          \
	free(command)
	CHECK(" --comm worker", ((struct filter){.comm = "worker"}), worker);
	CHECK(" --comm xz", ((struct filter){.comm = "xz"}), all - worker - nobodys);
	CHECK(" --tid 43", ((struct filter){.tid = 43}), worker);
	CHECK(" --pid 41", ((struct filter){.pid = 41}), all - nobodys);
	CHECK(" --pid 41 --comm worker", ((struct filter){.pid = 41, .comm = "worker"}), worker);
}

static void test_nothing_is_asked(void **state)
{
	struct profile *profile = sample_profile(/* by_thread= */ false);
	const struct filter filter = {0};
	struct error why;

	assert_int_equal(filter_apply(&filter, profile, &why), 0);
	assert_int_equal(sum(profile), profile->facts.samples);
	assert_string_equal(profile_text(profile, profile->facts.command), "xz -9k file");
	(void)profile_free(profile);
}

static void test_refusals(void **state)
{
	check_refused((struct filter){.comm = "work"}, true, -ENOENT,
		      "nothing matches --comm work");
	check_refused((struct filter){.pid = 41, .tid = 44}, true, -ENOENT,
		      "nothing matches --pid 41 --tid 44");
	check_refused((struct filter){.comm = "xz"}, false, -EINVAL,
		      "--comm: the profile does not keep processes apart: take it with "
		      "--by-process or --by-thread");
	check_refused((struct filter){.pid = 41}, false, -EINVAL,
		      "--pid: the profile does not keep processes apart: take it with "
		      "--by-process or --by-thread");
	check_refused((struct filter){.tid = 43}, false, -EINVAL,
		      "--tid: the profile does not keep threads apart: take it with --by-thread");
}

/* PROFILE gets all of the time of three threads, two of which are TASK's. */
static void add_lives(struct profile *profile, uint32_t task)
{
	struct profile_cell life = {.task = task, .ticks = 2000};

	life.value = sample_value(profile, "lifetime", "nanoseconds") & PROFILE_VALUES_MAX;
	assert_int_equal(profile_add_cell(profile, &life), 0);
	life.task = PROFILE_NO_TASK;
	assert_int_equal(profile_add_cell(profile, &life), 0);
	profile->facts.wall[WALL_THREADS] = 3;
	profile->facts.wall[WALL_STILL_BLOCKED] = 2;
}

/* How many threads a part has is not known where they were not kept apart; other facts of the whole
 * are not the part's. */
static void test_lives_of_a_part(void **state)
{
	struct profile *profile = sample_profile(/* by_thread= */ true);
	struct error why = {""};

	add_lives(profile, 0);
	assert_int_equal(
		filter_apply(&(struct filter){.pid = profile->tasks[0].pid}, profile, &why), 0);
	assert_int_equal(profile->amount_count, 1);
	assert_true(profile->facts.part);
	for (int i = 0; i < WALL_FACTS; i++)
		assert_int_equal(profile->facts.wall[i], 0);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_nothing_is_asked),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_lives_of_a_part),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
