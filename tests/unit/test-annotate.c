// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/annotate.h"

#include "sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void test_precise(void **state)
{
	assert_false(annotate_is_precise("cpu-clock"));
	assert_false(annotate_is_precise("cycles"));
	assert_false(annotate_is_precise("cycles:u"));
	assert_false(annotate_is_precise("cycles:p")); /* constant skid, not none */
	assert_false(annotate_is_precise(""));
	assert_true(annotate_is_precise("cycles:pp"));
	assert_true(annotate_is_precise("cycles:upp"));
	assert_true(annotate_is_precise("cycles:P"));
}

static struct annotated_row row(uint64_t ticks, bool slow, enum disasm_flow flow)
{
	return (struct annotated_row){.ticks = ticks, .instruction = {.slow = slow, .flow = flow}};
}

static void test_skids(void **state)
{
	struct annotated_row rows[] = {
		row(0, true, FLOW_NEXT),    /* 0: a load without ticks ... */
		row(100, false, FLOW_NEXT), /* 1: ... whose wait is seen here */
		row(200, false, FLOW_NEXT), /* 2: hotter than what is above, which is not slow */
		row(90, true, FLOW_NEXT),   /* 3: slow itself */
		row(100, false, FLOW_NEXT), /* 4: more, but by chance: 100 of 190 */
		row(5, true, FLOW_END),	    /* 5: nothing runs on behind a return */
		row(900, false, FLOW_NEXT), row(0, true, FLOW_NEXT), row(0, false, FLOW_NEXT),
	};
	const bool expected[] = {false, true, false, false, false, false, false, false, false};

	annotate_skids(rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(rows[i].skid, expected[i]);
	annotate_skids(rows, 0);
}

static void expect_subject(const struct profile *profile, const char *what, const char *name,
			   uint64_t ticks, uint64_t wanted, bool inlined)
{
	struct subjects subjects;
	struct error error;

	assert_int_equal(subjects_find(profile, what, &subjects, &error), 0);
	assert_string_equal(profile_text(profile, subjects.items[0].function), name);
	assert_int_equal(subjects.items[0].ticks, ticks);
	assert_int_equal(subjects.items[0].wanted, wanted);
	assert_int_equal(subjects.inlined, inlined);
	for (size_t i = 1; i < subjects.count; i++)
		assert_true(subjects.items[i].wanted <= subjects.items[i - 1].wanted);
	subjects_done(&subjects);
}

static void test_subjects(void **state)
{
	struct profile *profile = sample_profile(false);
	struct subjects subjects;
	struct error error;

	expect_subject(profile, NULL, "lzma_mf_bt4_find", 2087, 2087, false);
	expect_subject(profile, "lzma_encode", "lzma_encode", 850, 850, false);
	expect_subject(profile, "rc_shift_low", "lzma_encode", 850, 640, true);
	expect_subject(profile, "^shift|_shift_", "lzma_encode", 850, 640, true);
	expect_subject(profile, "xz", "lzma_encode", 100, 100, false);
	expect_subject(profile, "/usr/bin/xz", "lzma_encode", 100, 100, false);
	expect_subject(profile, "mf.c:530", "lzma_mf_bt4_find", 2087, 87, false);
	expect_subject(profile, "src/rc.h:70", "lzma_encode", 850, 640, false);
	expect_subject(profile, "vector<std::pair",
		       "std::vector<std::pair<unsigned long, "
		       "std::string>, std::allocator<char>>"
		       "::emplace_back(unsigned long&&)",
		       6, 6, false);
	/* "f.c" is not the end of a path. */
	assert_int_equal(subjects_find(profile, "f.c:530", &subjects, &error), -ENOENT);
	assert_non_null(strstr(error.text, "--by line"));
	assert_int_equal(subjects_find(profile, "nothing", &subjects, &error), -ENOENT);
	assert_int_equal(subjects_find(profile, "(", &subjects, &error), -EINVAL);
	(void)profile_free(profile);
}

static void test_empty(void **state)
{
	struct profile *profile = profile_new();
	struct subjects subjects;
	struct error error;

	assert_int_equal(subjects_find(profile, NULL, &subjects, &error), -ENOENT);
	assert_non_null(strstr(error.text, "nothing to annotate"));
	(void)profile_free(profile);
}

/* Every subject of a profile whose files are not there: all its ticks are in its rows. */
static void test_without_code(void **state)
{
	struct profile *profile = sample_profile(true);
	struct annotation *annotation;
	struct subjects subjects;
	struct symbols *symbols;
	struct error error;
	uint64_t sum = 0;

	assert_int_equal(symbols_open(&(struct symbols_options){0}, &symbols, &error), 0);
	assert_int_equal(subjects_find(profile, NULL, &subjects, &error), 0);
	for (uint32_t i = 0; i < subjects.count; i++) {
		uint64_t rows = 0, lines = 0;

		assert_int_equal(annotate(profile, &subjects, i, symbols, &annotation), 0);
		for (size_t k = 0; k < annotation->row_count; k++)
			rows += annotation->rows[k].ticks;
		for (size_t k = 0; k < annotation->line_count; k++)
			lines += annotation->lines[k].ticks;
		assert_int_equal(rows, annotation->ticks);
		assert_int_equal(lines, annotation->ticks);
		assert_int_equal(annotation->ticks, subjects.items[i].ticks);
		assert_int_equal(annotation->total, profile->facts.samples);
		assert_true(*annotation->why_no_code);
		sum += annotation->ticks;
		annotation_free(annotation);
	}
	/* All but those without an address: 12 and 3. */
	assert_int_equal(sum, profile->facts.samples - 15);
	subjects_done(&subjects);
	(void)symbols_close(symbols);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_precise),	     cmocka_unit_test(test_skids),
		cmocka_unit_test(test_subjects),     cmocka_unit_test(test_empty),
		cmocka_unit_test(test_without_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
