// SPDX-License-Identifier: BSD-2-Clause
#include "profile/beside.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void expect_old(const char *path, const char *old)
{
	char *made = beside(path, "old");

	assert_string_equal(made, old);
	free(made);
}

static void the_ending_stays(void **state)
{
	expect_old("profil.pb.gz", "profil.old.pb.gz");
	expect_old("a.b/c.pb.gz", "a.b/c.old.pb.gz");
	expect_old("/tmp/run.2.pb.gz", "/tmp/run.2.old.pb.gz");
	expect_old("run.prof", "run.old.prof");
	expect_old("run.gz", "run.old.gz");
}

static void where_there_is_none_it_goes_behind(void **state)
{
	expect_old("a.b/run", "a.b/run.old");
	expect_old("run-1.5", "run-1.5.old");
	expect_old("run.", "run..old");
	expect_old(".hidden", ".hidden.old");
	expect_old("run.5.gz", "run.5.old.gz");
	expect_old(".gz", ".gz.old");
}

static void a_long_name_is_cut(void **state)
{
	char path[NAME_MAX + 8], *made;

	memset(path, 'x', sizeof(path));
	memcpy(path, "a/", 2);
	memcpy(path + 2 + NAME_MAX - 3, ".pb", 4);
	made = beside(path, "old");
	assert_int_equal(strlen(made), 2 + NAME_MAX);
	assert_string_equal(made + 2 + NAME_MAX - 8, "x.old.pb");
	free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ending_stays),
		cmocka_unit_test(where_there_is_none_it_goes_behind),
		cmocka_unit_test(a_long_name_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
