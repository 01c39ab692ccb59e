// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "graphs.h"
#include "stacks.h"

#include <stdlib.h>
#include <unistd.h>

/* What profiles with call stacks are in other programs' formats. */

static struct profile *sampled(void)
{
	struct profile *profile = functions(4);

	profile->facts.period_ns = 1000000;
	stacks_add(profile, "abd", STACK_WHOLE, 2);
	stacks_add(profile, "abd", STACK_WHOLE, 1);
	stacks_add(profile, "abb", STACK_WHOLE, 4);
	stacks_add(profile, "cd", STACK_BUSY, 1);
	return profile;
}

static char *written(const char *format)
{
	struct profile *profile = sampled();
	struct error error = {""}, left = {""};
	char path[] = "/tmp/profil-test-XXXXXX", *text;
	int fd = mkstemp(path);
	size_t size;
	FILE *file;

	assert_true(fd >= 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(format_called(format)->write(profile, path, &left, &error), 0);
	assert_string_equal(left.text, "");
	file = fopen(path, "r");
	assert_non_null(file);
	text = calloc(1, 65536);
	assert_non_null(text);
	size = fread(text, 1, 65535, file);
	assert_in_range(size, 1, 65534);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(unlink(path), 0);
	(void)profile_free(profile);
	return text;
}

static void check_written(const char *format, const char *const *parts)
{
	char *text = written(format);
	const char *at = text;

	for (; *parts; parts++) {
		const char *found = strstr(at, *parts);

		if (!found)
			fail_msg("%s has no\n%s\nin\n%s", format, *parts, at);
		at = found;
	}
	free(text);
}

static void test_folded(void **state)
{
	char *text = written("folded");

	(void)state;
	assert_string_equal(text, "[truncated: another CPU held the table of contexts];c;d 1\n"
				  "a;b;b 4\n"
				  "a;b;d 3\n");
	free(text);
}

static void test_speedscope(void **state)
{
	static const char *const parts[] = {
		"{\"name\": \"a\"",
		"{\"name\": \"[truncated: another CPU held",
		"\"endValue\": 8",
		"\"samples\": [\n[0, 1, 3],\n[0, 1, 3],\n[0, 1, 1],\n[13, 2, 3]]",
		"\"weights\": [2, 1, 4, 1]",
		NULL};

	(void)state;
	check_written("speedscope", parts);
}

/* A stack is its callers' and a frame; what was cut is below a frame that says so. */
static void test_firefox(void **state)
{
	static const char *const parts[] = {
		"\"preprocessedProfileVersion\": 57",
		"\"interval\": 1,",
		"\"stack\": [2, 2, 3, 6]",
		"\"weight\": [2, 1, 4, 1]",
		"\"weightType\": \"samples\"",
		"\"prefix\": [null, 0, 1, 1, null, 4, 5]",
		"\"frame\": [0, 1, 2, 1, 3, 4, 2]",
		"\"address\": [0, 16, 48, -1, 32]",
		"\"category\": [0, 0, 0, 5, 0]",
		"\"resource\": [0, 0, 0, -1, 0]",
		"\"[truncated: another CPU held the table of contexts]\"",
		NULL};

	(void)state;
	check_written("firefox", parts);
}

/* Of the recursion nothing is handed to the function itself. */
static void test_callgrind(void **state)
{
	static const char *const parts[] = {
		"summary: 8\n", "fn=a\ncob=/bin/p\ncfi=???\ncfn=b\ncalls=7 0x10 0\n0x0 0 7\n",
		"fn=b\ncob=/bin/p\ncfi=???\ncfn=d\ncalls=3 0x30 0\n0x10 0 3\n",
		"fn=c\ncob=/bin/p\ncfi=???\ncfn=d\ncalls=1 0x30 0\n0x20 0 1\n", NULL};

	(void)state;
	check_written("callgrind", parts);
}

static void test_perf_script(void **state)
{
	static const char *const parts[] = {
		"\t              30 d (/bin/p)\n\t              11 b (/bin/p)\n"
		"\t               1 a (/bin/p)\n\n",
		"\t              30 d (/bin/p)\n\t              21 c (/bin/p)\n"
		"\t               0 [truncated: another CPU held the table of contexts] "
		"([unknown])\n",
		NULL};

	(void)state;
	check_written("perf-script", parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folded),	    cmocka_unit_test(test_speedscope),
		cmocka_unit_test(test_firefox),	    cmocka_unit_test(test_callgrind),
		cmocka_unit_test(test_perf_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
