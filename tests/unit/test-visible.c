// SPDX-License-Identifier: BSD-2-Clause
#include "base/visible.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include <cmocka.h>

struct terminal {
	int master;
	FILE *out;
};

/* A terminal that hands on what it gets as it is. */
static void open_terminal(struct terminal *terminal)
{
	struct termios modes;
	int fd;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(terminal->master >= 0);
	assert_int_equal(grantpt(terminal->master), 0);
	assert_int_equal(unlockpt(terminal->master), 0);
	fd = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
	assert_true(fd >= 0);
	assert_int_equal(tcgetattr(fd, &modes), 0);
	cfmakeraw(&modes);
	assert_int_equal(tcsetattr(fd, TCSANOW, &modes), 0);
	terminal->out = fdopen(fd, "w");
	assert_non_null(terminal->out);
}

/* SIZE bytes of TEXT, handed over in pieces of STEP, are shown as EXPECTED. */
static void check_step(const char *text, size_t size, size_t step, const char *expected)
{
	struct terminal terminal;
	char shown[256];
	ssize_t got;
	FILE *visible;

	open_terminal(&terminal);
	visible = visible_open(terminal.out);
	assert_non_null(visible);
	assert_ptr_not_equal(visible, terminal.out);
	for (size_t i = 0; i < size; i += step) {
		size_t part = size - i < step ? size - i : step;

		assert_int_equal(fwrite(text + i, 1, part, visible), part);
		assert_int_equal(fflush(visible), 0);
	}
	assert_int_equal(visible_close(visible, terminal.out), 0);
	assert_int_equal(fputc('$', terminal.out), '$'); /* it is open still */
	assert_int_equal(fflush(terminal.out), 0);
	for (size_t i = 0; i <= strlen(expected); i += (size_t)got) {
		got = read(terminal.master, shown + i, sizeof(shown) - 1 - i);
		assert_true(got > 0);
		shown[i + (size_t)got] = '\0';
	}
	assert_int_equal(shown[strlen(expected)], '$');
	shown[strlen(expected)] = '\0';
	assert_string_equal(shown, expected);
	assert_int_equal(fclose(terminal.out), 0);
	close(terminal.master);
}

/* Wherever a piece ends, in the middle of a character too. */
static void check(const char *text, size_t size, const char *expected)
{
	for (size_t step = 1; step <= size; step++)
		check_step(text, size, step, expected);
}

#define CHECK(text, expected) check(text, sizeof(text) - 1, expected)

static void test_escapes(void **state)
{
	CHECK("a\033[31mb\a\x7f", "a\\x1b[31mb\\x07\\x7f");
	CHECK("nul\0\b", "nul\\x00\\x08");
	/* Alone and as UTF-8: CSI, OSC. */
	CHECK("\x9b"
	      "2J\xc2\x9b"
	      "2J\xc2\x9d",
	      "\\x9b2J\\xc2\\x9b2J\\xc2\\x9d");
}

static void test_lines(void **state)
{
	CHECK("a\tb\nc\r\nd", "a\tb\nc\r\nd");
	/* A carriage return that ends no line goes back over it. */
	CHECK("good\rbad\r\r\n\r", "good\\x0dbad\\x0d\r\n\\x0d");
}

static void test_keeps_characters(void **state)
{
	CHECK("größe € \xf0\x9f\x98\x80 \xc2\xa0", "größe € \xf0\x9f\x98\x80 \xc2\xa0");
	/* Such bytes within a character are none; Latin-1's letters are no controls. */
	CHECK("\xc3\x9b\xe2\x80\x9b gr\xf6\xdf"
	      "e",
	      "\xc3\x9b\xe2\x80\x9b gr\xf6\xdf"
	      "e");
}

static void test_broken_characters(void **state)
{
	/* Too long a form of CSI, characters cut short by an escape and by the end. */
	CHECK("\xe0\x82\x9b", "\xe0\\x82\\x9b");
	CHECK("\xe2\033\x9b", "\xe2\\x1b\\x9b");
	CHECK("\xf0\x9f\x98", "\xf0\\x9f\\x98");
	CHECK("\xc2", "\xc2");
}

static void test_no_terminal(void **state)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_ptr_equal(visible_open(file), file);
	assert_int_equal(visible_close(file, file), 0);
	assert_true(fputs("\033", file) >= 0);
	assert_int_equal(fclose(file), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escapes),		 cmocka_unit_test(test_lines),
		cmocka_unit_test(test_keeps_characters), cmocka_unit_test(test_broken_characters),
		cmocka_unit_test(test_no_terminal),
	};

	return cmocka_run_group_tests_name("visible", tests, NULL, NULL);
}
