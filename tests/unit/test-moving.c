// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/moving.h"

#include "cmd/signals.h"
#include "sample.h"

#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The process that shows tells by its exit status what it has seen: nothing of the test's own may
 * fail in it. */

static bool wait_for(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	return poll(&ready, 1, 10000) == 1;
}

static const struct profile *next(struct moving *moving, struct error *why)
{
	moving_ask(moving);
	return wait_for(moving_news(moving)) ? moving_take(moving, why) : NULL;
}

static const char *name_of(const struct profile *profile, size_t location)
{
	const struct profile_location *named = &profile->locations[location];

	return named->line_count
		       ? profile_text(profile,
				      profile->functions[profile->lines[named->first_line].function]
					      .name)
		       : "";
}

/* The first has the cells, the facts and a mapping's root; the second keeps the names that the
 * first had, and that no file would give it now. */
static int show_two(void *context, struct moving *moving)
{
	struct error why;
	const struct profile *profile = next(moving, &why);

	if (!profile || !profile->facts.partial || *why.text)
		return 2;
	if (strcmp(profile_text(profile, profile->mappings[0].root), "/proc/4242/root"))
		return 3;
	if (strcmp(name_of(profile, 0), "first"))
		return 4;
	profile = next(moving, &why);
	if (!profile || profile->cell_count != 2 || profile->cells[1].ticks != 5)
		return 5;
	if (strcmp(name_of(profile, 0), "first"))
		return 6;
	if (moving_take(moving, &why) || *why.text)
		return 7;
	profile = next(moving, &why);
	if (profile || strcmp(why.text, "out of cells"))
		return 8;
	return 42;
}

/* One location, with its name where NAMED, and what came later. */
static struct profile *make(bool named, bool later)
{
	struct profile *profile = profile_new();

	(void)sample_mapping(profile, CLASS_PROGRAM, "/nowhere/program", "", 0);
	assert_int_equal(profile_string(profile, "/proc/4242/root", &profile->mappings[0].root), 0);
	sample_location(profile, LOCATION_ADDRESS, 0, 0x1000);
	if (named)
		sample_frame(profile, "first", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 3);
	if (later) {
		sample_location(profile, LOCATION_ADDRESS, 0, 0x2000);
		sample_cell(profile, PROFILE_NO_TASK, 5);
	}
	profile->facts.period_ns = 1000000;
	profile->facts.partial = true;
	return profile;
}

static void answer(struct mover *mover, struct profile *profile, const char *why)
{
	struct error error = {};

	(void)strcpy(error.text, why);
	assert_true(wait_for(mover_fd(mover)));
	assert_int_equal(mover_wish(mover), MOVER_PROFILE);
	mover_send(mover, profile, &error);
	(void)profile_free(profile);
}

static int signals(void)
{
	sigset_t before;

	return signals_take(&before);
}

static struct mover begin(int show(void *context, struct moving *moving))
{
	const struct moving_show by = {.show = show};
	const struct naming_options naming = {.server_ns = 0};
	struct mover mover = {0};
	struct error why;

	assert_int_equal(mover_begin(&mover, &by, &naming, &why), 0);
	return mover;
}

static void test_profiles_are_handed_over(void **state)
{
	struct mover mover = begin(show_two);
	int fd = signals();

	mover_go(&mover);
	answer(&mover, make(true, false), "");
	answer(&mover, make(false, true), "");
	answer(&mover, NULL, "out of cells");
	assert_true(wait_for(mover_fd(&mover)));
	assert_int_equal(mover_wish(&mover), MOVER_ENDED);
	assert_int_equal(mover_wait(&mover, fd), 42);
	assert_int_equal(mover_fd(&mover), -1);
	close(fd);
}

static int show_until_told(void *context, struct moving *moving)
{
	return wait_for(moving_end(moving)) ? 7 : 2;
}

static void test_who_shows_is_told_to_end(void **state)
{
	struct mover mover = begin(show_until_told);
	int fd = signals();

	mover_go(&mover);
	assert_int_equal(mover_wish(&mover), MOVER_NOTHING);
	mover_stop(&mover);
	assert_int_equal(mover_wait(&mover, fd), 7);
	close(fd);
}

/* Where nothing could be measured, nothing is shown. */
static void test_nothing_is_shown_before_it_begins(void **state)
{
	struct mover mover = begin(show_until_told);
	int fd = signals();

	mover_stop(&mover);
	assert_int_equal(mover_wait(&mover, fd), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profiles_are_handed_over),
		cmocka_unit_test(test_who_shows_is_told_to_end),
		cmocka_unit_test(test_nothing_is_shown_before_it_begins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
