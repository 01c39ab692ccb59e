// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Read, and write again, .PRF files in a folder of the test's own. */

#define DATA TESTS "/data/prohst/"

static char folder[] = "/tmp/test-prf-XXXXXX";
static char path[64], other[64];

static int set_up(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/A.PRF", folder);
	(void)snprintf(other, sizeof(other), "%s/B.PRF", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)unlink(path);
	(void)unlink(other);
	return rmdir(folder);
}

static void put_words(const uint16_t *words, size_t count, size_t cut)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (size_t i = 0; i < 2 * count - cut; i++)
		assert_true(putc(words[i / 2] >> (i & 1 ? 8 : 0) & 0xff, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static struct profile *read_path(const char *from, const struct format_hints *hints)
{
	struct profile *profile = NULL;
	struct error why = {""};

	assert_int_equal(format_read(from, hints, &profile, &why), 0);
	return profile;
}

static void check_same_files(const char *one, const char *two)
{
	FILE *a = fopen(one, "r"), *b = fopen(two, "r");
	int byte;

	assert_non_null(a);
	assert_non_null(b);
	do {
		byte = getc(a);
		assert_int_equal(byte, getc(b));
	} while (byte != EOF);
	fclose(a);
	fclose(b);
}

static void test_accounts_for_all(void **state)
{
	struct profile *profile = read_path(DATA "M.PRF", NULL);
	struct profile_account account;

	profile_account(profile, &account);
	assert_int_equal(account.ticks[CLASS_PROGRAM], 34);
	assert_int_equal(account.ticks[CLASS_DOS], 3);
	assert_int_equal(account.ticks[CLASS_IO], 7);
	assert_int_equal(account.ticks[CLASS_HIGH], 2);
	assert_int_equal(account.total, 46);
	assert_int_equal(profile->facts.samples, 46);
	assert_int_equal(profile->facts.period_ns, 1000000);
	assert_true(account.listed[CLASS_HIGH]);
	assert_false(account.listed[CLASS_KERNEL]);
	profile_free(profile);
}

static const char *name_at(const struct profile *profile, uint64_t address)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		if (location->address != address ||
		    profile->mappings[location->mapping].class != CLASS_PROGRAM)
			continue;
		assert_int_equal(location->line_count, 1);
		return profile_text(
			profile,
			profile->functions[profile->lines[location->first_line].function].name);
	}
	return "no cell";
}

static void test_names_by_the_map_beside(void **state)
{
	struct profile *profile = read_path(DATA "M.PRF", NULL);

	assert_string_equal(name_at(profile, 0x00), "MAINCODE");
	assert_string_equal(name_at(profile, 0x20), "MAINCODE");
	assert_string_equal(name_at(profile, 0x30), "SUBCODE");
	assert_string_equal(name_at(profile, 0x60), "LIBCODE");
	profile_free(profile);
	profile = read_path(DATA "A.PRF", NULL);
	assert_string_equal(name_at(profile, 0x30), "A+0x30");
	profile_free(profile);
}

static void test_hints(void **state)
{
	struct format_hints hints = {.program = "/games/CHESS.COM", .map = DATA "M.MAP"};
	struct profile *profile = read_path(DATA "A.PRF", &hints), *none = NULL;
	struct error why = {""};

	/* A .COM's first bucket is 100h in its map, which here ends before that. */
	assert_string_equal(name_at(profile, 0x130), "CHESS.COM+0x130");
	profile_free(profile);
	hints.map = "/nowhere/at.map";
	assert_int_equal(format_read(DATA "A.PRF", &hints, &none, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/nowhere/at.map"));
	assert_int_equal(format_read("profil.pb.gz", &hints, &none, &why), -EINVAL);
}

static void test_writes_what_it_read(void **state)
{
	const char *const files[] = {DATA "A.PRF", DATA "E.PRF"};
	uint16_t words[9 + 300] = {250, 300, 3, 0x1234, 0x1234 + 899, 0x70, 1, 65534, 3};
	struct error why = {""}, left;
	struct profile *profile;

	for (size_t i = 0; i < 2; i++) {
		profile = read_path(files[i], NULL);
		assert_int_equal(prf_format.write(profile, path, &left, &why), 0);
		check_same_files(files[i], path);
		profile_free(profile);
	}
	for (size_t i = 9; i < 309; i++)
		words[i] = (uint16_t)(i % 3 ? i * 7919 : 0);
	put_words(words, 309, 0);
	profile = read_path(path, NULL);
	assert_int_equal(prf_format.write(profile, other, &left, &why), 0);
	check_same_files(path, other);
	profile_free(profile);
}

static void test_full_counters(void **state)
{
	uint16_t words[] = {1000, 2, 1, 0x100, 0x101, 0x60, 0, 0, 0, 65535, 7};
	struct error why = {""}, left;
	struct profile *profile;

	put_words(words, 11, 0);
	profile = read_path(path, NULL);
	assert_non_null(strstr(profile_text(profile, profile->mappings[0].note), "1 counter"));
	/* Two profiles added up have more than 16 bits hold. */
	profile->cells[1].ticks = 70000;
	assert_int_equal(prf_format.write(profile, other, &left, &why), 0);
	profile_free(profile);
	profile = read_path(other, NULL);
	/* At 65,535 PROHST 1.0 never ends. */
	assert_int_equal(profile->cells[0].ticks, 65534);
	assert_int_equal(profile->cells[1].ticks, 65534);
	assert_non_null(strstr(profile_text(profile, profile->mappings[0].note), "2 counter"));
	profile_free(profile);
}

static void test_bad_files(void **state)
{
	const uint16_t words[] = {1000, 2, 1, 0x100, 0x101, 0x60, 0, 0, 0, 5, 7, 0};
	const uint16_t no_size[] = {1000, 1, 0, 0x100, 0x101, 0x60, 0, 0, 0, 5};
	struct profile *profile = NULL;
	struct error why = {""};

	for (size_t cut = 1; cut <= 22; cut++) {
		put_words(words, 11, cut);
		assert_int_equal(format_read(path, NULL, &profile, &why), -EBADMSG);
	}
	put_words(words, 12, 0);
	assert_int_equal(format_read(path, NULL, &profile, &why), -EBADMSG);
	put_words(words, 12, 1);
	assert_int_equal(format_read(path, NULL, &profile, &why), -EBADMSG);
	put_words(no_size, 10, 0);
	assert_int_equal(format_read(path, NULL, &profile, &why), -EBADMSG);
	assert_non_null(strstr(why.text, "A.PRF"));
	assert_null(profile);
}

static void test_other_profiles_are_not_written(void **state)
{
	struct profile *profile = profile_new();
	struct error why = {""}, left;
	struct stat status;

	assert_non_null(profile);
	assert_int_equal(prf_format.write(profile, other, &left, &why), -ENOTSUP);
	assert_non_null(strstr(why.text, "DOS program"));
	(void)unlink(other);
	assert_int_equal(prf_format.write(profile, other, &left, &why), -ENOTSUP);
	assert_int_equal(stat(other, &status), -1);
	profile_free(profile);
}

static void test_chooses_by_the_name(void **state)
{
	assert_ptr_equal(format_of_path("dir.prf/x"), &pprof_format);
	assert_ptr_equal(format_of_path("X.PRF"), &prf_format);
	assert_ptr_equal(format_of_path("x.prf"), &prf_format);
	assert_ptr_equal(format_of_path(".prf"), &pprof_format);
	assert_ptr_equal(format_of_path("profil.pb.gz"), &pprof_format);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accounts_for_all),
		cmocka_unit_test(test_names_by_the_map_beside),
		cmocka_unit_test(test_hints),
		cmocka_unit_test(test_writes_what_it_read),
		cmocka_unit_test(test_full_counters),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_other_profiles_are_not_written),
		cmocka_unit_test(test_chooses_by_the_name),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
