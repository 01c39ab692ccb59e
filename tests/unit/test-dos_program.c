// SPDX-License-Identifier: BSD-2-Clause
#include "dos/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/test-dos-XXXXXX";

static int set_up(void **state)
{
	return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

static int tear_down(void **state)
{
	return chdir("/") || rmdir(folder);
}

static bool is_dos(const char *name, const void *bytes, size_t size)
{
	FILE *file = fopen(name, "w");
	bool is;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
	is = dos_program_is(name);
	unlink(name);
	return is;
}

static void test_exe(void **state)
{
	static const char *const others[] = {"PE", "NE", "LE", "LX", "W3"};
	unsigned char bytes[256] = "MZ";

	assert_true(is_dos("x", bytes, sizeof(bytes)));
	assert_true(is_dos("X.EXE", bytes, 28));
	assert_false(is_dos("X.EXE", bytes, 27));
	/* Behind the old header stands another. */
	bytes[0x18] = 0x40;
	bytes[0x3c] = 0x80;
	assert_true(is_dos("X.EXE", bytes, sizeof(bytes)));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		memcpy(bytes + 0x80, others[i], 2);
		assert_false(is_dos("X.EXE", bytes, sizeof(bytes)));
	}
	/* That place is only one where the relocations leave room for it. */
	bytes[0x18] = 0x1c;
	assert_true(is_dos("X.EXE", bytes, sizeof(bytes)));
	/* A place behind the end of the file is none. */
	memset(bytes + 0x3c, 0xff, 4);
	bytes[0x18] = 0x40;
	assert_true(is_dos("X.EXE", bytes, sizeof(bytes)));
}

static void test_com(void **state)
{
	assert_true(is_dos("x.com", "\xc3", 1));
	assert_true(is_dos("X.Com", "\xcd\x20", 2));
	assert_false(is_dos("x.com", "", 0));
	assert_false(is_dos("x.con", "\xc3", 1));
	assert_false(is_dos("com", "\xc3", 1));
	assert_false(is_dos("x.com", "#!/bin/sh\n", 10));
	assert_false(is_dos("x.com", "\177ELF\2\1\1", 7));
	assert_true(is_dos("x.com", "\177EL", 3));
	assert_false(dos_program_is("/"));
	assert_false(dos_program_is("none.com"));
	assert_false(dos_program_is("/dev/null"));
}

static void test_names(void **state)
{
	static const char *const good[] = {"A", "PROG.EXE", "prog1234.c_m", "X.", "A~1.COM"};
	static const char *const bad[] = {"",	   ".com",  "ninechars.com", "a.html",
					  "a.b.c", "a b.c", "a+b.com",	     "na\xc3\xaf.com"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(dos_name_is_short(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(dos_name_is_short(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exe),
		cmocka_unit_test(test_com),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
