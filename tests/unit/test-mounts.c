// SPDX-License-Identifier: BSD-2-Clause
/* Another mount namespace is one that a child of this test unshares. */
#include "target/mounts.h"

#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static uint64_t mounts_of(pid_t pid)
{
	char path[64];
	struct stat status;

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	assert_int_equal(stat(path, &status), 0);
	return status.st_ino;
}

/* A process in a mount namespace of its own, until it is killed. */
static pid_t elsewhere(void)
{
	int ready[2];
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		byte = unshare(CLONE_NEWNS) ? 'n' : 'y';
		(void)!write(ready[1], &byte, 1);
		for (;;)
			(void)pause();
	}
	assert_true(pid > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	if (byte == 'y')
		return pid;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	print_message("[  SKIPPED ] needs the right to make a mount namespace: run as root\n");
	skip();
	return 0;
}

static void own_is_not_elsewhere(void **state)
{
	assert_false(mounts_elsewhere(0));
	assert_false(mounts_elsewhere(mounts_of(getpid())));
	assert_true(mounts_elsewhere(mounts_of(getpid()) + 1));
}

static void a_process_of_the_namespace_is_found(void **state)
{
	pid_t pid = elsewhere();
	uint64_t number = mounts_of(pid);
	char root[MOUNTS_ROOT_MAX], expected[MOUNTS_ROOT_MAX];
	struct mounts mounts = {0};

	(void)snprintf(expected, sizeof(expected), "/proc/%d/root", (int)pid);
	assert_true(mounts_elsewhere(number));
	/* By itself, and by looking where another process was known that is not in it. */
	assert_int_equal(mounts_root(&mounts, number, pid, root), 0);
	assert_string_equal(root, expected);
	mounts_done(&mounts);
	assert_int_equal(mounts_root(&mounts, number, getpid(), root), 0);
	assert_string_equal(root, expected);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	mounts_done(&mounts);
	assert_int_equal(mounts_root(&mounts, number, pid, root), 0);
	assert_string_equal(root, "");
	assert_int_equal(mounts.count, 1);
	mounts_done(&mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_is_not_elsewhere),
		cmocka_unit_test(a_process_of_the_namespace_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
