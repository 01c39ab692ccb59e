// SPDX-License-Identifier: BSD-2-Clause
#include "target/spawn.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static sigset_t mask_now(void)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	return mask;
}

static int prepare(struct spawned *spawned, char **argv)
{
	sigset_t mask = mask_now();
	struct error why;

	return spawn_prepare(spawned, argv, &mask, false, &why);
}

static void a_released_program_runs(void **state)
{
	char *argv[] = {"sh", "-c", "exit 7", NULL};
	struct spawned spawned;
	struct error why;
	int status;

	(void)state;
	assert_int_equal(prepare(&spawned, argv), 0);
	assert_int_equal(waitpid(spawned.pid, &status, WNOHANG), 0); /* it waits for us */
	assert_int_equal(spawn_release(&spawned, argv[0], NULL, &why), 0);
	assert_int_equal(waitpid(spawned.pid, &status, 0), spawned.pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	spawn_abandon(&spawned); /* too late: without effect */
}

static void it_gets_the_environment_it_is_sent(void **state)
{
	char *argv[] = {"sh", "-c", "[ \"$SENT\" = 'a b' ] && [ \"$CHANGED\" = new ] && exit 5",
			NULL};
	char *const environment[] = {"SENT=a b", "CHANGED=new", NULL};
	struct spawned spawned;
	struct error why;
	int status;

	(void)state;
	assert_int_equal(setenv("CHANGED", "old", /* overwrite= */ 1), 0);
	assert_int_equal(prepare(&spawned, argv), 0);
	assert_int_equal(spawn_release(&spawned, argv[0], environment, &why), 0);
	assert_int_equal(waitpid(spawned.pid, &status, 0), spawned.pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
	assert_string_equal(getenv("CHANGED"), "old");
}

static void an_abandoned_one_never_does(void **state)
{
	char name[] = "/tmp/profil-spawn-XXXXXX";
	char *argv[] = {"rm", name, NULL};
	int fd = mkstemp(name);
	struct spawned spawned;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(prepare(&spawned, argv), 0);
	spawn_abandon(&spawned);
	assert_int_equal(waitpid(spawned.pid, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(unlink(name), 0); /* still there */
}

static int release_error(char *program, struct error *why)
{
	char *argv[] = {program, NULL};
	struct spawned spawned;

	assert_int_equal(prepare(&spawned, argv), 0);
	return spawn_release(&spawned, program, NULL, why);
}

static void what_cannot_run_says_why(void **state)
{
	char name[] = "/tmp/profil-spawn-XXXXXX";
	int fd = mkstemp(name);
	struct error why;

	(void)state;
	close(fd);
	assert_int_equal(release_error("/nonexistent/program", &why), -ENOENT);
	assert_non_null(strstr(why.text, "/nonexistent/program: No such program: "));
	assert_int_equal(release_error("/tmp", &why), -EISDIR);
	assert_non_null(strstr(why.text, "/tmp: Is a directory: "));
	assert_int_equal(release_error(name, &why), -EACCES);
	assert_non_null(strstr(why.text, "Permission denied"));
	assert_int_equal(unlink(name), 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* all reaped */
}

/* A child that was killed while it waited is told from one that could not be executed. */
static void a_killed_one_is_noticed(void **state)
{
	char *argv[] = {"true", NULL};
	struct spawned spawned;
	struct error why;
	siginfo_t info;

	(void)state;
	assert_int_equal(prepare(&spawned, argv), 0);
	assert_int_equal(kill(spawned.pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)spawned.pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(spawn_release(&spawned, argv[0], NULL, &why), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_released_program_runs),
		cmocka_unit_test(it_gets_the_environment_it_is_sent),
		cmocka_unit_test(an_abandoned_one_never_does),
		cmocka_unit_test(what_cannot_run_says_why),
		cmocka_unit_test(a_killed_one_is_noticed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
