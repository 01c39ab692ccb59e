// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/source_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void test_lines(void **state)
{
	static const char text[] = "int\tx;\r\n\n\tif (é\t)\nlast";
	struct source_file source;
	char path[] = "/tmp/profil-source-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(source_file_read(path, &source), 0);
	assert_int_equal(source.state, SOURCE_READ);
	assert_int_equal(source.line_count, 4);
	assert_string_equal(source_file_line(&source, 1), "int     x;");
	assert_string_equal(source_file_line(&source, 2), "");
	assert_string_equal(source_file_line(&source, 3), "        if (é   )");
	assert_string_equal(source_file_line(&source, 4), "last");
	assert_null(source_file_line(&source, 0));
	assert_null(source_file_line(&source, 5));
	assert_true(source.mtime_ns > 1000000000);
	source_file_done(&source);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(source_file_read(path, &source), 0);
	assert_int_equal(source.line_count, 0);
	source_file_done(&source);
	close(fd);
	assert_int_equal(unlink(path), 0);
}

static void test_not_to_be_read(void **state)
{
	struct source_file source;

	assert_int_equal(source_file_read("/nonexistent/file.c", &source), 0);
	assert_int_equal(source.state, SOURCE_MISSING);
	assert_null(source_file_line(&source, 1));
	source_file_done(&source);
	/* A device, a folder: debug information may name anything. */
	assert_int_equal(source_file_read("/dev/zero", &source), 0);
	assert_int_equal(source.state, SOURCE_UNREADABLE);
	source_file_done(&source);
	assert_int_equal(source_file_read("/tmp", &source), 0);
	assert_int_equal(source.state, SOURCE_UNREADABLE);
	source_file_done(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_not_to_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
