// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "diffs.h"

/* What of two profiles is one thing: the rows of their difference. */

static void test_another_build_is_matched_by_name(void **state)
{
	struct profile *before = diffs_profile("/opt/v1/prog", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/opt/v2/prog-new", "feed", CLASS_PROGRAM);
	struct diff *diff;

	diffs_add(before, 0x1010, "f", NULL, 100),
		diffs_add(before, 0x1040, "prog+0x1040", NULL, 50);
	diffs_mapping(before, "/lib/libz.so.1.2.13", "aa");
	diffs_add(before, 0x9010, "inflate", NULL, 20);
	diffs_add(after, 0x1810, "f", NULL, 100), diffs_add(after, 0x1040, "prog+0x1040", NULL, 50);
	diffs_mapping(after, "/usr/lib/libz.so.1.3", "bb");
	diffs_add(after, 0x9910, "inflate", NULL, 20);
	diff = diffs_compare(before, after);
	/* An address of one build is nothing in another. */
	assert_int_equal(diff->row_count, 4);
	assert_int_equal(diffs_find(diff, "f")->match, DIFF_NAMED);
	assert_string_equal(diffs_find(diff, "f")->object, "prog-new");
	assert_int_equal(diffs_find(diff, "inflate")->match, DIFF_NAMED);
	diffs_near(diffs_find(diff, "inflate")->change, 0);
	(void)diff_free(diff);
}

static void test_one_build_is_matched_by_address(void **state)
{
	struct profile *before = diffs_profile("/opt/lib.so", "c0de", CLASS_LIBRARIES);
	struct profile *after = diffs_profile("/lib/lib.so.2", "c0de", CLASS_LIBRARIES);
	struct diff *diff;

	diffs_add(before, 0x1010, "lib.so+0x1010", NULL, 60),
		diffs_add(before, 0x1030, "", NULL, 40);
	diffs_add(after, 0x1010, "f", NULL, 60), diffs_add(after, 0x1030, "g", NULL, 40);
	diff = diffs_compare(before, after);
	assert_int_equal(diff->row_count, 2);
	assert_int_equal(diffs_find(diff, "f")->match, DIFF_SAME);
	diffs_near(diffs_find(diff, "g")->change, 0);
	(void)diff_free(diff);
}

/* Profiles in which no function is known have no list of them either. */
static void test_addresses_without_any_name(void **state)
{
	struct profile *before = diffs_profile("/opt/lib.so", "c0de", CLASS_LIBRARIES);
	struct profile *after = diffs_profile("/opt/lib.so", "c0de", CLASS_LIBRARIES);
	struct diff *diff;

	diffs_add(before, 0x1010, "", NULL, 60), diffs_add(after, 0x1010, "", NULL, 60);
	assert_null(before->lines);
	diff = diffs_compare(before, after);
	assert_int_equal(diff->row_count, 1);
	assert_int_equal(diffs_find(diff, "lib.so+0x1010")->match, DIFF_SAME);
	(void)diff_free(diff);
}

static void test_new_gone_and_moved(void **state)
{
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "feed", CLASS_PROGRAM);
	struct diff *diff;

	diffs_add(before, 0x1010, "stays", NULL, 100), diffs_add(before, 0x1020, "goes", NULL, 50);
	diffs_add(before, 0x1030, "moves", NULL, 30), diffs_add(before, 0x1040, "seldom", NULL, 2);
	diffs_add(after, 0x1010, "stays", NULL, 100), diffs_add(after, 0x1020, "comes", NULL, 50);
	diffs_mapping(after, "/lib/libb.so", "bb");
	diffs_add(after, 0x9010, "moves", NULL, 30), diffs_add(after, 0x9020, "seldom", NULL, 2);
	diff = diffs_compare(before, after);
	assert_int_equal(diffs_find(diff, "goes")->match, DIFF_GONE);
	assert_int_equal(diffs_find(diff, "comes")->match, DIFF_NEW);
	assert_int_equal(diffs_find(diff, "moves")->match, DIFF_MOVED);
	assert_string_equal(diffs_find(diff, "moves")->moved_from, "a");
	assert_string_equal(diffs_find(diff, "moves")->object, "libb.so");
	diffs_near(diffs_find(diff, "moves")->change, 0);
	/* Twice "seldom": two ticks are no proof of a move. */
	assert_int_equal(diff->row_count, 6);
	(void)diff_free(diff);
}

static void test_inlining_by_line(void **state)
{
	struct diff_options options = {.by = TABLE_BY_LINE};
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "feed", CLASS_PROGRAM);
	const struct diff_row *row;
	struct diff *diff;

	diffs_add(before, 40, "hot", NULL, 100);
	diffs_add(after, 40, "hot", "loop", 60), diffs_add(after, 40, "hot", "main", 40);
	diff = diffs_compare_as(before, after, &options);
	row = diffs_find(diff, "a.c:40");
	assert_string_equal(row->function, "hot");
	assert_int_equal(row->parts[DIFF_BEFORE].inlined, 0);
	assert_int_equal(row->parts[DIFF_AFTER].inlined, 100);
	assert_string_equal(row->parts[DIFF_AFTER].into, "loop");
	(void)diff_free(diff);
}

/* The ticks are the other function's; where they went is said all the same. */
static void test_inlining_by_function(void **state)
{
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "feed", CLASS_PROGRAM);
	const struct diff_row *row;
	struct diff *diff;

	diffs_add(before, 40, "hot", NULL, 100), diffs_add(before, 50, "loop", NULL, 100);
	diffs_add(after, 40, "hot", "loop", 90), diffs_add(after, 50, "loop", NULL, 110);
	diff = diffs_compare(before, after);
	row = diffs_find(diff, "loop");
	assert_int_equal(row->parts[DIFF_BEFORE].ticks, 100);
	assert_int_equal(row->parts[DIFF_AFTER].ticks, 200);
	assert_int_equal(row->parts[DIFF_AFTER].inlined, 0);
	row = diffs_find(diff, "hot");
	assert_int_equal(row->parts[DIFF_AFTER].ticks, 0);
	assert_int_equal(row->parts[DIFF_AFTER].inlined, 90);
	assert_string_equal(row->parts[DIFF_AFTER].into, "loop");
	assert_int_equal(diff->row_count, 2);
	(void)diff_free(diff);
}

static void test_anonymous_code_of_another_process(void **state)
{
	struct profile *before = diffs_profile("[anon] node (70)", "", CLASS_ANONYMOUS);
	struct profile *after = diffs_profile("[anon] node (99)", "", CLASS_ANONYMOUS);
	struct diff *diff;

	diffs_add(before, 0x1010, "jit", NULL, 100), diffs_add(after, 0x7010, "jit", NULL, 100);
	diff = diffs_compare(before, after);
	assert_int_equal(diff->row_count, 1);
	assert_string_equal(diff->rows[0].object, "[anon] node");
	(void)diff_free(diff);
}

/* It is at other addresses in each run; without names it is one thing. */
static void test_anonymous_code_without_names(void **state)
{
	struct profile *before = diffs_profile("[anon] node (70)", "", CLASS_ANONYMOUS);
	struct profile *after = diffs_profile("[anon] node (99)", "", CLASS_ANONYMOUS);
	struct diff *diff;

	diffs_add(before, 0x1010, "[anon]+0x1010", NULL, 60);
	diffs_add(before, 0x1020, "[anon]+0x1020", NULL, 40);
	diffs_add(after, 0x7010, "[anon]+0x7010", NULL, 100);
	diff = diffs_compare(before, after);
	assert_int_equal(diff->row_count, 1);
	assert_string_equal(diff->rows[0].name, "[anon]");
	assert_int_equal(diff->rows[0].parts[DIFF_BEFORE].ticks, 100);
	assert_int_equal(diff->rows[0].parts[DIFF_AFTER].ticks, 100);
	(void)diff_free(diff);
}

static void test_filters_leave_shares_of_all(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION, .function = "^f$"};
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct diff *diff;

	diffs_add(before, 0x1010, "f", NULL, 20), diffs_add(before, 0x1020, "ff", NULL, 80);
	diffs_add(after, 0x1010, "f", NULL, 30), diffs_add(after, 0x1020, "ff", NULL, 70);
	diff = diffs_compare_as(before, after, &options);
	assert_int_equal(diff->row_count, 1);
	diffs_near(diff->rows[0].parts[DIFF_AFTER].value, 0.3);
	assert_int_equal(diff->compared, 1);
	(void)diff_free(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_build_is_matched_by_name),
		cmocka_unit_test(test_one_build_is_matched_by_address),
		cmocka_unit_test(test_addresses_without_any_name),
		cmocka_unit_test(test_new_gone_and_moved),
		cmocka_unit_test(test_inlining_by_line),
		cmocka_unit_test(test_inlining_by_function),
		cmocka_unit_test(test_anonymous_code_of_another_process),
		cmocka_unit_test(test_anonymous_code_without_names),
		cmocka_unit_test(test_filters_leave_shares_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
