// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/output_name.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static void expect(const char *pattern, const char *expected)
{
	char path[PATH_MAX];
	struct error why = {};

	assert_int_equal(output_name(pattern, path, sizeof(path), &why), 0);
	assert_string_equal(path, expected);
}

static void expect_refused(const char *pattern, int code, const char *says)
{
	char path[16];
	struct error why = {};

	assert_int_equal(output_name(pattern, path, sizeof(path), &why), code);
	assert_non_null(strstr(why.text, says));
}

static void no_ranks(void)
{
	static const char *const all[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK",
					  "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		assert_int_equal(unsetenv(all[i]), 0);
}

static void plain_names_stay(void **state)
{
	(void)state;
	expect("profil.pb.gz", "profil.pb.gz");
	expect("", "");
	expect("100%%", "100%");
	expect("%%p", "%p");
}

static void process_and_host(void **state)
{
	char host[HOST_NAME_MAX + 1] = "", expected[2 * HOST_NAME_MAX];

	(void)state;
	assert_int_equal(gethostname(host, sizeof(host) - 1), 0);
	(void)snprintf(expected, sizeof(expected), "d/%s-%d.pb.gz", host, (int)getpid());
	expect("d/%h-%p.pb.gz", expected);
}

static void rank_of_the_nearest(void **state)
{
	(void)state;
	no_ranks();
	expect_refused("%r", -EINVAL, "no rank");
	assert_int_equal(setenv("SLURM_PROCID", "0", 1), 0);
	expect("%r", "0");
	assert_int_equal(setenv("PMI_RANK", "../../etc", 1), 0);
	expect("%r", "0");
	assert_int_equal(setenv("OMPI_COMM_WORLD_RANK", "4095", 1), 0);
	expect("run-%r", "run-4095");
	assert_int_equal(setenv("PMIX_RANK", "12", 1), 0);
	expect("%r%r", "1212");
}

static void time_in_utc(void **state)
{
	char path[PATH_MAX];
	time_t before = time(NULL), said;
	struct tm tm = {};
	struct error why;

	(void)state;
	assert_int_equal(output_name("%t", path, sizeof(path), &why), 0);
	assert_non_null(strptime(path, "%Y%m%d-%H%M%S", &tm));
	said = timegm(&tm);
	assert_in_range(said, before, time(NULL));
}

static void others_are_refused(void **state)
{
	(void)state;
	expect_refused("a%z", -EINVAL, "%z");
	expect_refused("a%", -EINVAL, "a%");
	expect_refused("0123456789abcdef", -ENAMETOOLONG, "too long");
	expect_refused("0123456789abcde%p", -ENAMETOOLONG, "too long");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_names_stay),    cmocka_unit_test(process_and_host),
		cmocka_unit_test(rank_of_the_nearest), cmocka_unit_test(time_in_utc),
		cmocka_unit_test(others_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
