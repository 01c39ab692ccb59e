// SPDX-License-Identifier: BSD-2-Clause
#include "base/progress.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

static int master, slave;

static void open_terminal(void)
{
	assert_int_equal(setenv("TERM", "xterm", 1), 0);
	master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
}

/* All that comes until TEXT has come is in SEEN. */
static void read_until(const char *text, char seen[4096])
{
	size_t size = strlen(seen);

	while (!strstr(seen, text)) {
		ssize_t got = read(master, seen + size, 4095 - size);

		assert_true(got > 0);
		size += (size_t)got;
		seen[size] = '\0';
	}
}

static void assert_silent(void)
{
	struct pollfd end = {.fd = master, .events = POLLIN};

	assert_int_equal(poll(&end, 1, 0), 0);
}

/* Where it is no terminal, or one that cannot show it, nothing is shown. */
static void test_not_possible(void **state)
{
	int ends[2];

	(void)state;
	open_terminal();
	assert_int_equal(pipe(ends), 0);
	assert_false(progress_is_possible(ends[1]));
	assert_true(progress_is_possible(slave));
	assert_int_equal(setenv("TERM", "dumb", 1), 0);
	assert_false(progress_is_possible(slave));
	progress_open(slave);
	progress_begin("names", "files");
	progress_at(1, 2);
	progress_end();
	assert_silent();
	close(ends[0]);
	close(ends[1]);
	close(slave);
	close(master);
}

/* A program that reads keys one by one has the screen for itself. */
static void test_taken(void **state)
{
	struct termios modes;

	(void)state;
	open_terminal();
	assert_int_equal(tcgetattr(slave, &modes), 0);
	modes.c_lflag &= ~(tcflag_t)ICANON;
	assert_int_equal(tcsetattr(slave, TCSANOW, &modes), 0);
	assert_false(progress_line(slave, "words"));
	assert_silent();
	close(slave);
	close(master);
}

/* A line comes after a second, has what is in what, also where another process says how far it is,
 * and is gone when the outermost has ended. */
static void test_shown(void **state)
{
	struct timespec begun, now;
	char seen[4096] = "";
	pid_t pid;

	(void)state;
	open_terminal();
	clock_gettime(CLOCK_MONOTONIC, &begun);
	progress_open(slave);
	progress_begin("names", "files");
	progress_at(3, 12);
	read_until("\r\033[Kprofil: names: 3 of 12 files", seen);
	clock_gettime(CLOCK_MONOTONIC, &now);
	assert_true((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec >=
		    1000000000);
	progress_begin("debuginfod", "kB");
	read_until("\r\033[Kprofil: names: 3 of 12 files: debuginfod\r", seen);
	pid = fork();
	if (!pid) {
		progress_at(5, 70);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	read_until("\r\033[Kprofil: names: 3 of 12 files: debuginfod: 5 of 70 kB", seen);
	progress_begin("deeper", "things");
	progress_at(8, 9);
	progress_end();
	progress_end();
	progress_at(4, 12);
	read_until("\r\033[Kprofil: names: 4 of 12 files\r", seen);
	progress_end();
	assert_int_equal(write(slave, "$", 1), 1);
	read_until("$", seen);
	assert_non_null(strstr(seen, "\r\033[K$"));
	assert_null(strstr(seen, "deeper"));
	assert_int_equal(strlen(strchr(seen, '$')), 1);
	close(slave);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_possible), cmocka_unit_test(test_taken),
		cmocka_unit_test(test_shown), /* the last: what is opened stays so */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
