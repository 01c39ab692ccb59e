// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/session.h"
#include "stand_in.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT 0x100000

static uint32_t cells[64];
static uint8_t bytes[4];

static const struct profil_region region = {TEXT, 4, cells, 64, 32};

static int reset(void **state)
{
	memset(cells, 0, sizeof(cells));
	memset(bytes, 0, sizeof(bytes));
	stand_in.first_probe = stand_in.second_probe = 0;
	stand_in.first_start = stand_in.second_start = 0;
	stand_in.prepared = stand_in.parents = stand_in.children = 0;
	assert_int_equal(stand_in.count, 0);
	return 0;
}

static struct profil_account account_of(struct profil_measurement *measurement)
{
	struct profil_account account = {.size = sizeof(account)};

	assert_int_equal(profil_read(measurement, &account), 0);
	assert_int_equal(account.ticks,
			 account.counted + account.outside + account.saturated + account.lost);
	return account;
}

static void it_counts_while_it_is_on(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);

	assert_non_null(measurement);
	assert_string_equal(profil_engine(measurement), "kernel");
	assert_string_equal(profil_why(measurement), "");
	for (int i = 0; i < 2; i++) {
		assert_int_equal(profil_start(measurement), 0);
		errno = 0;
		assert_int_equal(profil_start(measurement), -1);
		assert_int_equal(errno, EALREADY);
		stand_in_tick(TEXT + 7);
		stand_in_tick(TEXT - 1);
		stand_in_tick(TEXT + 64 * 4);
		assert_int_equal(profil_stop(measurement), 0);
		assert_int_equal(profil_stop(measurement), 0);
	}
	assert_int_equal(cells[1], 2);
	assert_int_equal(account_of(measurement).counted, 2);
	assert_int_equal(account_of(measurement).outside, 4);
	assert_int_equal(account_of(measurement).period_ns, 1003009);
	profil_close(measurement);
	assert_int_equal(cells[1], 2);
	profil_close(NULL);
}

/* While it is on and after; what comes late is no longer missing. */
static void what_no_tick_showed_is_told(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);

	assert_int_equal(account_of(measurement).unseen, 0);
	assert_int_equal(profil_start(measurement), 0);
	stand_in_tick(TEXT);
	stand_in_pass(5);
	assert_int_equal(account_of(measurement).unseen, 5);
	assert_int_equal(account_of(measurement).ticks, 1);
	assert_int_equal(profil_stop(measurement), 0);
	assert_int_equal(account_of(measurement).unseen, 5);
	assert_int_equal(profil_start(measurement), 0);
	stand_in_pass(2);
	assert_int_equal(account_of(measurement).unseen, 7);
	assert_int_equal(profil_stop(measurement), 0);
	assert_int_equal(profil_reset(measurement), 0);
	assert_int_equal(account_of(measurement).unseen, 0);
	profil_close(measurement);
}

static void several_are_on_at_once(void **state)
{
	struct profil_region small = {TEXT, 1, bytes, sizeof(bytes), 8};
	struct profil_options options = {
		.size = sizeof(options), .period_ns = 10000, .flags = PROFIL_SATURATE};
	struct profil_measurement *one = profil_open(NULL, &region, 1);
	struct profil_measurement *two = profil_open(&options, &small, 1);

	assert_int_equal(profil_start(one), 0);
	assert_int_equal(profil_start(two), 0);
	assert_int_equal(stand_in.count, 2);
	for (int i = 0; i < 300; i++)
		stand_in_tick(TEXT + 3);
	assert_int_equal(bytes[3], 255);
	assert_int_equal(account_of(two).saturated, 45);
	assert_int_equal(account_of(two).period_ns, 10000);
	profil_close(two);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT);
	assert_int_equal(account_of(one).counted, 1);
	profil_close(one);
	assert_int_equal(stand_in.count, 0);
}

static void reset_begins_anew(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);

	assert_int_equal(profil_start(measurement), 0);
	stand_in_tick(TEXT);
	assert_int_equal(profil_reset(measurement), 0);
	assert_int_equal(cells[0], 0);
	assert_int_equal(account_of(measurement).ticks, 0);
	stand_in_tick(TEXT);
	assert_int_equal(account_of(measurement).counted, 1);
	assert_int_equal(profil_stop(measurement), 0);
	assert_int_equal(profil_reset(measurement), 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(account_of(measurement).ticks, 0);
	profil_close(measurement);
}

static void refuse(const struct profil_options *options, const struct profil_region *regions,
		   size_t count, int code)
{
	errno = 0;
	assert_null(profil_open(options, regions, count));
	assert_int_equal(errno, code);
	assert_true(*profil_why(NULL));
}

static void wrong_regions_are_refused(void **state)
{
	struct profil_region wrong[] = {
		{TEXT, 4, cells, 64, 0},
		{TEXT, 4, cells, 64, 24},
		{TEXT, 4, cells, 64, 128},
		{TEXT, 0, cells, 64, 32},
		{TEXT, 4, cells, 0, 32},
		{TEXT, 4, NULL, 64, 32},
		{TEXT, 4, (char *)cells + 1, 64, 16},
		{TEXT, 4, (char *)cells + 4, 8, 64},
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuse(NULL, &wrong[i], 1, EINVAL);
	refuse(NULL, &region, 0, EINVAL);
}

static void wrong_options_are_refused(void **state)
{
	struct {
		struct profil_options options;
		unsigned long more;
	} later = {.options = {.size = sizeof(later)}, .more = 0};
	struct profil_options wrong[] = {
		{.size = 0},
		{.size = sizeof(size_t) - 1},
		{.size = 4097},
		{.size = sizeof(wrong[0]), .period_ns = 9999},
		{.size = sizeof(wrong[0]), .period_ns = 1000000001},
		{.size = sizeof(wrong[0]), .flags = 4},
		{.size = sizeof(wrong[0]), .flags = (uint64_t)1 << 32},
	};
	struct profil_measurement *measurement;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		refuse(&wrong[i], &region, 1, EINVAL);
	measurement = profil_open(&later.options, &region, 1);
	assert_non_null(measurement);
	profil_close(measurement);
	later.more = 1;
	refuse(&later.options, &region, 1, EINVAL);
}

static void shorter_options_have_the_defaults(void **state)
{
	struct profil_options options = {.size = offsetof(struct profil_options, engine),
					 .period_ns = 20000,
					 .engine = "not to be read",
					 .flags = ~(uint64_t)0};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	assert_non_null(measurement);
	assert_int_equal(account_of(measurement).period_ns, 20000);
	profil_close(measurement);
	options.size = sizeof(options.size);
	measurement = profil_open(&options, &region, 1);
	assert_non_null(measurement);
	assert_int_equal(account_of(measurement).period_ns, 1003009);
	profil_close(measurement);
}

static void an_engine_can_be_named(void **state)
{
	struct profil_options options = {.size = sizeof(options), .engine = "steam"};
	struct profil_measurement *measurement;

	refuse(&options, &region, 1, ENOSYS);
	stand_in.first_probe = -EACCES;
	options.engine = "kernel";
	refuse(&options, &region, 1, EPERM);
	assert_string_equal(profil_why(NULL), "kernel: no");
	measurement = profil_open(NULL, &region, 1);
	assert_string_equal(profil_engine(measurement), "perf");
	assert_string_equal(profil_why(measurement), "kernel: no");
	profil_close(measurement);
}

static void a_start_that_fails_is_the_next_engines(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);

	assert_string_equal(profil_engine(measurement), "kernel");
	stand_in.first_start = -EMFILE;
	assert_int_equal(profil_start(measurement), 0);
	assert_string_equal(profil_engine(measurement), "perf");
	assert_string_equal(profil_why(measurement), "kernel: not after all");
	stand_in_tick(TEXT);
	stand_in.first_start = 0;
	assert_int_equal(profil_reset(measurement), 0);
	assert_string_equal(profil_engine(measurement), "kernel");
	assert_string_equal(profil_why(measurement), "");
	stand_in.first_start = -EMFILE;
	stand_in.second_start = -ENOMEM;
	assert_int_equal(profil_stop(measurement), 0);
	errno = 0;
	assert_int_equal(profil_start(measurement), -1);
	assert_int_equal(errno, EMFILE);
	assert_string_equal(profil_why(measurement), "kernel: not after all\nperf: nor this");
	assert_int_equal(stand_in.count, 0);
	profil_close(measurement);
}

static void a_named_engine_that_fails_to_start_has_no_successor(void **state)
{
	struct profil_options options = {.size = sizeof(options), .engine = "kernel"};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	stand_in.first_start = -EMFILE;
	errno = 0;
	assert_int_equal(profil_start(measurement), -1);
	assert_int_equal(errno, EMFILE);
	assert_string_equal(profil_why(measurement), "kernel: not after all");
	assert_int_equal(stand_in.count, 0);
	profil_close(measurement);
}

/* Both ways: a shorter one gets what it has room for, a longer one is not filled in to its end. */
static void an_account_is_filled_in_to_its_size(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);
	struct profil_account account = {.size = 0};
	struct {
		struct profil_account account;
		uint64_t more;
	} later = {.account = {.size = sizeof(later)}};

	errno = 0;
	assert_int_equal(profil_read(measurement, &account), -1);
	assert_int_equal(errno, EINVAL);
	account = (struct profil_account){
		.size = offsetof(struct profil_account, cpu_ns), .cpu_ns = 42, .period_ns = 43};
	assert_int_equal(profil_read(measurement, &account), 0);
	assert_int_equal(account.size, offsetof(struct profil_account, cpu_ns));
	assert_int_equal(account.cpu_ns, 42);
	assert_int_equal(account.period_ns, 43);
	assert_int_equal(profil_read(measurement, &later.account), 0);
	assert_int_equal(later.account.size, sizeof(later.account));
	later.account.size = sizeof(later);
	later.more = 1;
	errno = 0;
	assert_int_equal(profil_read(measurement, &later.account), -1);
	assert_int_equal(errno, EINVAL);
	profil_close(measurement);
}

/* In the child: the exit status is its verdict. */
static int child_of(struct profil_measurement *measurement)
{
	struct profil_account account = {.size = sizeof(account)};

	if (stand_in.children != 1 || stand_in.count != 1)
		return 1;
	stand_in_tick(TEXT);
	if (profil_read(measurement, &account) || account.counted != 2 || cells[0] != 2)
		return 2;
	return profil_stop(measurement) || stand_in.count ? 3 : 0;
}

static void a_child_goes_on(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);
	int status;
	pid_t pid;

	assert_int_equal(profil_start(measurement), 0);
	stand_in_tick(TEXT);
	pid = fork();
	if (!pid)
		_exit(child_of(measurement));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(stand_in.prepared, 1);
	assert_int_equal(stand_in.parents, 1);
	stand_in_tick(TEXT);
	assert_int_equal(account_of(measurement).counted, 2);
	profil_close(measurement);
}

/* The exit status is the child's verdict on what it finds. */
static int status_of_child(struct profil_measurement *measurement, bool is_on, const char *engine)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(stand_in.count != is_on || strcmp(profil_engine(measurement), engine));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void what_has_ended_has_ended_in_a_child(void **state)
{
	struct profil_measurement *measurement = profil_open(NULL, &region, 1);

	assert_int_equal(profil_start(measurement), 0);
	stand_in.on[0]->account.ended = true;
	assert_int_equal(status_of_child(measurement, false, "kernel"), 0);
	profil_close(measurement);
}

/* The kernel's is never built anew in a child, named or not. */
static void a_childs_engine_is_the_next(void **state)
{
	struct profil_options options = {.size = sizeof(options)};

	for (int i = 0; i < 2; i++) {
		struct profil_measurement *measurement;

		options.engine = i ? "kernel" : NULL;
		measurement = profil_open(&options, &region, 1);
		assert_int_equal(profil_start(measurement), 0);
		assert_string_equal(profil_engine(measurement), "kernel");
		assert_int_equal(status_of_child(measurement, true, "perf"), 0);
		profil_close(measurement);
	}
}

static void whole_takes_all_text(void **state)
{
	struct profil_measurement *measurement = profil_whole(NULL);

	assert_non_null(measurement);
	assert_int_equal(profil_start(measurement), 0);
	stand_in_tick((uintptr_t)whole_takes_all_text);
	stand_in_tick((uintptr_t)strerror);
	assert_int_equal(account_of(measurement).counted, 2);
	stand_in_tick((uintptr_t)cells);
	assert_int_equal(account_of(measurement).outside, 1);
	assert_int_equal(profil_reset(measurement), 0);
	assert_int_equal(account_of(measurement).ticks, 0);
	profil_close(measurement);
}

static void it_tells_its_version(void **state)
{
	assert_string_equal(profil_version(), PROFIL_VERSION);
	assert_int_equal(strtol(PROFIL_VERSION, NULL, 10), PROFIL_VERSION_MAJOR);
	assert_int_equal(strtol(strchr(PROFIL_VERSION, '.') + 1, NULL, 10), PROFIL_VERSION_MINOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_counts_while_it_is_on, reset),
		cmocka_unit_test_setup(what_no_tick_showed_is_told, reset),
		cmocka_unit_test_setup(several_are_on_at_once, reset),
		cmocka_unit_test_setup(reset_begins_anew, reset),
		cmocka_unit_test_setup(wrong_regions_are_refused, reset),
		cmocka_unit_test_setup(wrong_options_are_refused, reset),
		cmocka_unit_test_setup(shorter_options_have_the_defaults, reset),
		cmocka_unit_test_setup(an_engine_can_be_named, reset),
		cmocka_unit_test_setup(a_start_that_fails_is_the_next_engines, reset),
		cmocka_unit_test_setup(a_named_engine_that_fails_to_start_has_no_successor, reset),
		cmocka_unit_test_setup(an_account_is_filled_in_to_its_size, reset),
		cmocka_unit_test_setup(a_child_goes_on, reset),
		cmocka_unit_test_setup(what_has_ended_has_ended_in_a_child, reset),
		cmocka_unit_test_setup(a_childs_engine_is_the_next, reset),
		cmocka_unit_test_setup(whole_takes_all_text, reset),
		cmocka_unit_test_setup(it_tells_its_version, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
