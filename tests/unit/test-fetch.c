// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"
#include "symbol/fetch.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint8_t build_id[] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4};

/* A server that takes connections (the kernel does) and never says a word; returns its socket. */
static int serve(char *folder)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char text[4096];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_false(bind(fd, (struct sockaddr *)&address, size));
	assert_false(listen(fd, 8));
	assert_false(getsockname(fd, (struct sockaddr *)&address, &size));
	snprintf(text, sizeof(text), "http://127.0.0.1:%d", ntohs(address.sin_port));
	setenv("DEBUGINFOD_URLS", text, 1);
	snprintf(text, sizeof(text), "%s/cache", folder);
	setenv("DEBUGINFOD_CACHE_PATH", text, 1);
	return fd;
}

/* Without its library nobody is asked. */
static void need_library(void)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);

	if (!library)
		skip();
	dlclose(library);
}

static int fetch(void)
{
	char *path;

	return fetch_debuginfo(build_id, sizeof(build_id), &path);
}

static void without_a_server_nobody_is_asked(void **state)
{
	unsetenv("DEBUGINFOD_URLS");
	assert_false(fetch_has_server());
	assert_int_equal(fetch(), -ENOSYS);
	setenv("DEBUGINFOD_URLS", "", 1);
	assert_int_equal(fetch(), -ENOSYS);
	assert_false(fetch_gave_up());
}

static void no_time_is_no_server(void **state)
{
	const struct fetch_limits limits = {.timeout_ns = 0, .stop = -1};
	int server = serve(*state);

	fetch_limit(&limits);
	assert_false(fetch_has_server());
	assert_int_equal(fetch(), -ENOSYS);
	assert_false(fetch_gave_up());
	close(server);
}

/* The second file finds no time left, and nothing is left in the cache: neither a file that was
 * begun, nor one that says there were none. */
static void all_files_have_one_deadline(void **state)
{
	const struct fetch_limits limits = {.timeout_ns = 50000000, .stop = -1};
	int server;

	need_library();
	server = serve(*state);
	fetch_limit(&limits);
	assert_int_equal(fetch(), -ETIME);
	assert_true(fetch_gave_up());
	assert_int_equal(fetch(), -ETIME);
	run_in(*state, "test -z \"$(find cache -name 'debuginfo*')\"");
	close(server);
}

/* With no deadline worth the name: that this returns is what is tested. */
static void a_stop_ends_the_wait(void **state)
{
	struct fetch_limits limits = {.timeout_ns = 3600000000000};
	int server, stop[2];
	pid_t pid;

	need_library();
	server = serve(*state);
	assert_false(pipe(stop));
	limits.stop = stop[0];
	fetch_limit(&limits);
	assert_false(fetch_is_stopped());
	pid = fork();
	if (!pid) {
		(void)accept(server, NULL, NULL);
		close(stop[1]);
		pause(); /* with the connection open */
	}
	close(stop[1]); /* the other process has it until it was asked */
	assert_int_equal(fetch(), -ECANCELED);
	assert_true(fetch_is_stopped());
	assert_false(fetch_gave_up());
	assert_int_equal(fetch(), -ECANCELED);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	run_in(*state, "test -z \"$(find cache -name 'debuginfo*')\"");
	close(stop[0]);
	close(server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_server_nobody_is_asked),
		cmocka_unit_test_setup_teardown(no_time_is_no_server, folder_make, folder_remove),
		cmocka_unit_test_setup_teardown(all_files_have_one_deadline, folder_make,
						folder_remove),
		cmocka_unit_test_setup_teardown(a_stop_ends_the_wait, folder_make, folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
