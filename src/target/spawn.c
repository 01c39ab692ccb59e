// SPDX-License-Identifier: BSD-2-Clause
#include "target/spawn.h"

#include "base/lent.h"
#include "base/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child: from here on it is the user's own, with what the user gave it. */
static void child_settle(const sigset_t *signals)
{
	char **environment;

	sigprocmask(SIG_SETMASK, signals, NULL);
	if (lent_keep(0))
		_exit(126);
	environment = lent_environment();
	if (environment)
		environ = environment;
}

#define WORDS_MAX (1 << 20) /* more than the kernel lets a program's environment hold */

/* In the child: all that the parent sends, up to its end; as many bytes.  It begins with a NUL. */
static size_t receive(int channel, char *words, size_t room)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(channel, words + used, room - used);
		if (got > 0)
			used += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return used;
}

/* Its strings are the environment's from now on. */
static void put_all(char *words, size_t size)
{
	for (char *word = words; word < words + size; word += strlen(word) + 1)
		if (*word)
			(void)putenv(word);
}

/* In the child: wait for a word; execute; tell why not.  The channel closes itself at exec. */
static void child_run(int channel, char **argv)
{
	char *words = calloc(1, WORDS_MAX + 1);
	size_t size;
	int why = ENOMEM;

	size = words ? receive(channel, words, WORDS_MAX) : 0;
	if (words && !size)
		_exit(127); /* abandoned */
	if (words) {
		put_all(words, size);
		execvp(argv[0], argv);
		why = errno;
	}
	(void)!write(channel, &why, sizeof(why));
	_exit(why == ENOENT ? 127 : 126);
}

/* In the child. */
static void hush(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			(void)dup2(nothing, fd);
}

int spawn_prepare(struct spawned *ret_spawned, char **argv, const sigset_t *signals, bool hushed,
		  struct error *reterr)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(reterr, -errno, "%s: cannot make a channel: %s: close some files",
				 argv[0], strerror(errno));
	lent_show(1);
	pid = fork();
	if (pid == 0) {
		close(ends[0]);
		child_settle(signals);
		if (hushed)
			hush();
		child_run(ends[1], argv);
	}
	lent_show(0);
	close(ends[1]);
	if (pid < 0) {
		int ret = -errno;

		close(ends[0]);
		return error_set(reterr, ret, "%s: cannot fork: %s: end some processes", argv[0],
				 strerror(-ret));
	}
	*ret_spawned = (struct spawned){.pid = pid, .channel = ends[0]};
	return 0;
}

static int exec_error(const char *program, int why, struct error *reterr)
{
	struct stat status;

	if (why == ENOENT)
		return error_set(reterr, -why, "%s: No such program: check its name and PATH",
				 program);
	if (why == EACCES && strchr(program, '/') && !stat(program, &status) &&
	    S_ISDIR(status.st_mode))
		return error_set(reterr, -EISDIR, "%s: Is a directory: name a program in it",
				 program);
	return error_set(reterr, -why, "%s: cannot be executed: %s: see 'file %s' and its mode",
			 program, strerror(why), program);
}

/* The word, with what the environment is to hold, and nothing more. */
static bool send_word(int channel, char *const *environment)
{
	bool is_sent = send(channel, "", 1, MSG_NOSIGNAL) == 1;

	for (; is_sent && environment && *environment; environment++) {
		size_t size = strlen(*environment) + 1;

		is_sent = send(channel, *environment, size, MSG_NOSIGNAL) == (ssize_t)size;
	}
	return is_sent && !shutdown(channel, SHUT_WR);
}

int spawn_release(struct spawned *spawned, const char *program, char *const *environment,
		  struct error *reterr)
{
	int channel = spawned->channel, why = 0;
	ssize_t got;

	spawned->channel = -1;
	if (!send_word(channel, environment))
		why = ESRCH; /* killed while it waited */
	do
		got = why ? 0 : read(channel, &why, sizeof(why));
	while (got < 0 && errno == EINTR);
	close(channel);
	if (!why)
		return 0;
	(void)reap(spawned->pid);
	if (why == ESRCH)
		return error_set(reterr, -ESRCH, "%s: killed before it began: start it again",
				 program);
	return exec_error(program, why, reterr);
}

static uint64_t time_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

/* The C library's waitid() does not ask what was used. */
uint64_t spawn_used_ns(pid_t pid)
{
	struct rusage usage = {};
	siginfo_t info = {};

	if (syscall(SYS_waitid, P_PID, pid, &info, WEXITED | WNOWAIT | WNOHANG, &usage) ||
	    !info.si_pid)
		return 0;
	return time_ns(&usage.ru_utime) + time_ns(&usage.ru_stime);
}

void spawn_abandon(struct spawned *spawned)
{
	if (spawned->channel < 0)
		return;
	close(spawned->channel);
	spawned->channel = -1;
	(void)reap(spawned->pid);
}
