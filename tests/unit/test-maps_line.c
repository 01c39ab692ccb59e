// SPDX-License-Identifier: BSD-2-Clause
#include "base/maps_line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void a_file_has_all(void **state)
{
	struct maps_line line;

	(void)state;
	assert_true(maps_line_parse("7f5c00012000-7f5c000ff000 r-xp 0001a000 fd:1f 4026531840      "
				    "             /usr/lib/a b-1.so (deleted)",
				    &line));
	assert_true(line.start == 0x7f5c00012000 && line.end == 0x7f5c000ff000);
	assert_memory_equal(line.rights, "r-xp", 4);
	assert_true(line.offset == 0x1a000 && line.major == 0xfd && line.minor == 0x1f);
	assert_true(line.inode == 4026531840);
	assert_string_equal(line.path, "/usr/lib/a b-1.so (deleted)");
}

static void a_path_may_be_missing(void **state)
{
	static const char *const lines[] = {"10000-20000 rw-p 00000000 00:00 0",
					    "10000-20000 rw-p 00000000 00:00 0 "};
	struct maps_line line;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_true(maps_line_parse(lines[i], &line));
		assert_int_equal(line.inode, 0);
		assert_string_equal(line.path, "");
	}
	assert_true(maps_line_parse("ffffffffff600000-ffffffffff601000 --xp 0 00:00 0 [vsyscall]",
				    &line));
	assert_true(line.end == 0xffffffffff601000);
	assert_string_equal(line.path, "[vsyscall]");
}

static void another_form_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"\n",
		"10000",
		"10000-",
		"10000-20000",
		"10000-20000 ",
		"10000-20000 r-x",
		"10000-20000 r-xp",
		"10000-20000 r-xp ",
		"10000-20000 r-xpq 0 00:00 0",
		"10000-20000 r-xp 0 0000 0",
		"10000-20000 r-xp 0 00:00",
		"10000-20000 r-xp 0 00:00 ",
		"10000-20000 r-xp 0 00:00 x",
		"10000-20000 r-xp 0 00:00 1a",
		"-20000 r-xp 0 00:00 0",
		" 10000-20000 r-xp 0 00:00 0",
		"0x10000-20000 r-xp 0 00:00 0",
		"Size:                  4 kB",
	};
	struct maps_line line = {.start = 7};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (maps_line_parse(bad[i], &line))
			fail_msg("'%s' is taken for a mapping", bad[i]);
	assert_int_equal(line.start, 7);
}

/* Every line that this kernel writes is one, and this code is in a file. */
static void the_kernel_writes_nothing_else(void **state)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool found = false;
	char text[8192];

	(void)state;
	assert_non_null(maps);
	while (fgets(text, sizeof(text), maps)) {
		uintptr_t here = (uintptr_t)the_kernel_writes_nothing_else;
		struct maps_line line;

		text[strcspn(text, "\n")] = '\0';
		if (!maps_line_parse(text, &line))
			fail_msg("'%s' is no mapping", text);
		assert_true(line.start < line.end);
		if (here >= line.start && here < line.end)
			found = line.rights[2] == 'x' && line.inode && line.path[0] == '/';
	}
	(void)fclose(maps);
	assert_true(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_has_all),
		cmocka_unit_test(a_path_may_be_missing),
		cmocka_unit_test(another_form_is_none),
		cmocka_unit_test(the_kernel_writes_nothing_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
