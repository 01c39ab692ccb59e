/* SPDX-License-Identifier: BSD-2-Clause */
/* Slow system calls, each again and again for a while, with work before each that makes ticks due
 * where it goes to sleep.  For each "NAME INTERRUPTED CALLS": in how many of them it returned
 * EINTR. All that wait do so for the same 200 us, or for a helper that is as slow. */

#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PAUSE_NS 200000
#define EACH_SECONDS 0.1 /* of CPU time */
#define EACH_AT_MOST 2	 /* seconds, on a machine that is busy otherwise */

SPIN(static, spin_between);

static const struct timespec moment = {.tv_nsec = PAUSE_NS};
static int pipe_ends[2], slow_ends[2], sockets[2], timed[2], queue, semaphores, polled;

/* A byte for each reader, again and again; those that nobody reads are dropped. */
static void *write_slowly(void *unused)
{
	for (;;) {
		(void)nanosleep(&moment, NULL);
		if ((write(pipe_ends[1], "", 1) != 1 && errno != EAGAIN) ||
		    (send(sockets[1], "", 1, MSG_DONTWAIT) != 1 && errno != EAGAIN))
			return unused;
	}
}

static int call_read(void)
{
	char byte;

	return (int)read(pipe_ends[0], &byte, 1);
}

static int call_recv(void)
{
	char byte;

	return (int)recv(sockets[0], &byte, 1, 0);
}

static int call_wait4(void)
{
	pid_t child = fork();

	if (!child) {
		(void)nanosleep(&moment, NULL);
		_exit(0);
	}
	return waitpid(child, NULL, 0) == child ? 0 : -1;
}

static void *unlock_slowly(void *file)
{
	(void)nanosleep(&moment, NULL);
	(void)flock(*(int *)file, LOCK_UN);
	return NULL;
}

static int call_flock(void)
{
	char path[] = "/tmp/profil-slow-XXXXXX";
	int first = mkstemp(path), second = open(path, O_RDWR | O_CLOEXEC), result, code;
	pthread_t helper;

	if (first < 0 || second < 0 || flock(first, LOCK_EX) || unlink(path) ||
	    pthread_create(&helper, NULL, unlock_slowly, &first))
		truth_fail("flock");
	result = flock(second, LOCK_EX);
	code = errno;
	(void)pthread_join(helper, NULL);
	(void)close(first);
	(void)close(second);
	errno = code;
	return result;
}

static int call_futex(void)
{
	static int word;

	return (int)syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &moment, NULL, 0);
}

static int call_nanosleep(void)
{
	return nanosleep(&moment, NULL);
}

static int call_poll(void)
{
	struct pollfd nothing = {.fd = polled, .events = POLLIN};

	return ppoll(&nothing, 1, &moment, NULL);
}

static int call_select(void)
{
	struct timespec timeout = moment;

	return pselect(0, NULL, NULL, NULL, &timeout, NULL);
}

static int call_epoll_wait(void)
{
	static int set = -1;
	struct epoll_event event;

	if (set < 0)
		set = epoll_create1(EPOLL_CLOEXEC);
	return epoll_wait(set, &event, 1, 1);
}

static int call_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &moment);
}

static int call_recv_timeout(void)
{
	char byte;

	return (int)recv(timed[0], &byte, 1, 0);
}

static int call_semop(void)
{
	struct sembuf down = {.sem_op = -1};

	return semtimedop(semaphores, &down, 1, &moment);
}

static void *send_slowly(void *unused)
{
	struct {
		long type;
		char text[1];
	} message = {.type = 1};

	for (;;) {
		(void)nanosleep(&moment, NULL);
		if (msgsnd(queue, &message, 1, IPC_NOWAIT) && errno != EAGAIN)
			return unused;
	}
}

static int call_msgrcv(void)
{
	struct {
		long type;
		char text[1];
	} message;

	return (int)msgrcv(queue, &message, 1, 0, 0);
}

static void repeat(const char *name, int (*call)(void))
{
	double end = truth_clock() + EACH_SECONDS;
	time_t late = time(NULL) + EACH_AT_MOST;
	unsigned long calls = 0, interrupted = 0;

	while (truth_clock() < end && time(NULL) <= late) {
		spin_between((unsigned long)(truth_jitter() * 0.3 * (double)truth_turns_per_ms) +
			     1);
		interrupted += call() < 0 && errno == EINTR;
		calls++;
	}
	printf("%s %lu %lu\n", name, interrupted, calls);
}

static void prepare(void)
{
	struct timeval timeout = {.tv_usec = PAUSE_NS / 1000};
	pthread_t helper;

	if (pipe(pipe_ends) || pipe(slow_ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, timed) ||
	    setsockopt(timed[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		truth_fail("descriptors");
	if (fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK))
		truth_fail("fcntl");
	polled = slow_ends[0];
	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	if (queue < 0 || semaphores < 0)
		truth_fail("System V IPC");
	if (pthread_create(&helper, NULL, write_slowly, NULL) ||
	    pthread_create(&helper, NULL, send_slowly, NULL))
		truth_fail("pthread_create");
}

int main(void)
{
	truth_begin();
	prepare();
	repeat("read", call_read);
	repeat("recv", call_recv);
	repeat("wait4", call_wait4);
	repeat("flock", call_flock);
	repeat("futex", call_futex);
	repeat("nanosleep", call_nanosleep);
	repeat("poll", call_poll);
	repeat("select", call_select);
	repeat("epoll_wait", call_epoll_wait);
	repeat("sigtimedwait", call_sigtimedwait);
	repeat("recv_timeout", call_recv_timeout);
	repeat("semop", call_semop);
	repeat("msgrcv", call_msgrcv);
	(void)msgctl(queue, IPC_RMID, NULL);
	(void)semctl(semaphores, 0, IPC_RMID);
	return 0;
}
