// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/hist.h"

#include "sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct hist *build(const struct profile *profile, const struct hist_options *options)
{
	struct error error;
	struct hist *hist;

	assert_int_equal(hist_build(profile, options, &hist, &error), 0);
	return hist;
}

static void check_sums(const struct hist *hist, uint64_t fired)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < hist->object_count; i++) {
		const struct hist_object *object = &hist->objects[i];

		for (size_t k = 0; k < object->row_count; k++) {
			sum += object->rows[k].ticks;
			assert_int_equal(object->rows[k].sum, sum);
			assert_true(!k || object->rows[k].start >= object->rows[k - 1].start);
			assert_true(object->rows[k].end >= object->rows[k].start);
		}
	}
	assert_int_equal(sum, hist->shown);
	assert_int_equal(hist->shown + hist->nowhere + hist->filtered, hist->total);
	assert_int_equal(hist->total, fired);
}

static void test_sums(void **state)
{
	struct profile *profile = sample_profile(true);

	for (int by = HIST_BY_FUNCTION; by <= HIST_BY_BYTES; by++) {
		for (size_t rows = 0; rows < 12; rows++) {
			struct hist_options options = {
				.by = (enum hist_by)by, .bytes = 16, .rows = rows};
			struct hist *hist = build(profile, &options);
			size_t shown = 0;

			check_sums(hist, profile->facts.samples);
			assert_int_equal(hist->nowhere, 15);
			for (size_t i = 0; i < hist->object_count; i++)
				for (size_t k = 0; k < hist->objects[i].row_count; k++)
					shown += !hist->objects[i].rows[k].is_fold;
			assert_true(!rows || shown <= rows);
			hist_free(hist);
		}
	}
	(void)profile_free(profile);
}

static void test_hottest_stay(void **state)
{
	struct profile *profile = sample_profile(false);
	struct hist_options options = {.by = HIST_BY_FUNCTION, .rows = 1};
	struct hist *hist = build(profile, &options);
	const struct hist_object *object = &hist->objects[0];
	size_t shown = 0;

	assert_string_equal(object->object, "liblzma.so.5");
	for (size_t i = 0; i < object->row_count; i++) {
		if (object->rows[i].is_fold)
			continue;
		assert_string_equal(object->rows[i].name, "lzma_mf_bt4_find");
		assert_int_equal(object->rows[i].ticks, 2087);
		shown++;
	}
	assert_int_equal(shown, 1);
	assert_int_equal(hist->peak, 2087);
	hist_free(hist);
	(void)profile_free(profile);
}

static void test_object(void **state)
{
	struct profile *profile = sample_profile(false);
	struct hist_options options = {.by = HIST_BY_BYTES, .bytes = 1, .object = "xz"};
	struct hist *hist = build(profile, &options);
	struct error error;

	assert_int_equal(hist->object_count, 1);
	assert_int_equal(hist->shown, 106);
	check_sums(hist, profile->facts.samples);
	hist_free(hist);
	options.object = "nosuch";
	assert_int_equal(hist_build(profile, &options, &hist, &error), -ENOENT);
	assert_non_null(strstr(error.text, "'nosuch'"));
	(void)profile_free(profile);
}

static void test_pages_and_strip(void **state)
{
	struct profile *profile = profile_new();
	uint32_t mapping = sample_mapping(profile, CLASS_KERNEL, "[kernel]", "", 0x10000);
	struct hist_options options = {.by = HIST_BY_BYTES, .bytes = HIST_PAGE};
	struct hist *hist;
	struct hist_strip strip;

	/* 90 of 100 ticks on one page, the others on two; one page between has none. */
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x10000);
	sample_cell(profile, PROFILE_NO_TASK, 40);
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x10fff);
	sample_cell(profile, PROFILE_NO_TASK, 50);
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x11000);
	sample_cell(profile, PROFILE_NO_TASK, 4);
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x13fff);
	sample_cell(profile, PROFILE_NO_TASK, 6);
	hist = build(profile, &options);
	assert_int_equal(hist->objects[0].pages, 4);
	assert_int_equal(hist->objects[0].pages_hit, 3);
	assert_int_equal(hist->objects[0].pages_hot, 1);
	assert_int_equal(hist->objects[0].huge_pages, 1);
	assert_int_equal(hist_strip(&hist->objects[0], 4, &strip), 0);
	assert_int_equal(strip.count, 4);
	assert_int_equal(strip.ticks[0], 90);
	assert_int_equal(strip.ticks[1], 4);
	assert_int_equal(strip.ticks[2], 0);
	assert_int_equal(strip.ticks[3], 6);
	assert_int_equal(strip.peak, 90);
	assert_int_equal(strip.bytes, 0x1000);
	free(strip.ticks);
	assert_int_equal(hist_strip(&hist->objects[0], 1, &strip), 0);
	assert_int_equal(strip.ticks[0], 100);
	free(strip.ticks);
	hist_free(hist);
	(void)profile_free(profile);
}

static void test_empty(void **state)
{
	struct profile *profile = profile_new();
	struct hist_options options = {.by = HIST_BY_FUNCTION};
	struct hist *hist = build(profile, &options);

	assert_int_equal(hist->object_count, 0);
	check_sums(hist, 0);
	hist_free(hist);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),   cmocka_unit_test(test_hottest_stay),
		cmocka_unit_test(test_object), cmocka_unit_test(test_pages_and_strip),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
