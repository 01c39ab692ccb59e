/* SPDX-License-Identifier: BSD-2-Clause */
/* blocking-calls SECONDS: a thread for each slow system call makes it over and over, as one more
 * works. Prints "NAME CALLS INTERRUPTED", how often each was made and how often that was EINTR. */

#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>

#define MILLISECOND 1000000

static const struct timespec pause_time = {.tv_nsec = MILLISECOND};

SPIN(static, spin_beside);

/* ---- those that wait for a time ---- */

static int call_nanosleep(void)
{
	return nanosleep(&pause_time, NULL);
}

static int call_clock_nanosleep(void)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_time, NULL);
	return errno ? -1 : 0;
}

static int call_poll(void)
{
	return poll(NULL, 0, 1);
}

static int call_select(void)
{
	struct timeval time = {.tv_usec = 1000};

	return select(0, NULL, NULL, NULL, &time);
}

static int epoll;

static int call_epoll_wait(void)
{
	struct epoll_event event;

	return epoll_wait(epoll, &event, 1, 1);
}

static int call_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	if (sigtimedwait(&set, NULL, &pause_time) >= 0 || errno == EAGAIN)
		return 0;
	return -1;
}

static int call_futex(void)
{
	static uint32_t word;

	if (!syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &pause_time) || errno == ETIMEDOUT)
		return 0;
	return -1;
}

/* ---- those that wait for somebody else, each with what ends it ---- */

static int semaphores;

static int change_semaphore(short by)
{
	struct sembuf change = {.sem_op = by};

	return semop(semaphores, &change, 1);
}

static int call_semop(void)
{
	return change_semaphore(-1);
}

static void end_semop(void)
{
	if (semctl(semaphores, 0, GETVAL) < 1)
		change_semaphore(1);
}

struct message {
	long type;
	char text[1];
};

static int queue;

static int call_msgrcv(void)
{
	struct message message;

	return msgrcv(queue, &message, sizeof(message.text), 0, 0) < 0 ? -1 : 0;
}

static void end_msgrcv(void)
{
	struct message message = {.type = 1};

	msgsnd(queue, &message, sizeof(message.text), IPC_NOWAIT);
}

static int pipe_ends[2], full_ends[2], pair[2];

static int call_read(void)
{
	char byte;

	return read(pipe_ends[0], &byte, 1) == 1 ? 0 : -1;
}

static void end_read(void)
{
	if (write(pipe_ends[1], "", 1) != 1)
		truth_fail("pipe");
}

/* The pipe holds one page; so much more has to wait. */
static int call_write(void)
{
	static const char pages[8192];

	return write(full_ends[1], pages, sizeof(pages)) < 0 ? -1 : 0;
}

static void end_write(void)
{
	char page[4096];

	if (read(full_ends[0], page, sizeof(page)) < 0 && errno != EAGAIN)
		truth_fail("full pipe");
}

static int call_recv(void)
{
	char byte;

	return recv(pair[0], &byte, 1, 0) == 1 ? 0 : -1;
}

static void end_recv(void)
{
	if (send(pair[1], "", 1, MSG_DONTWAIT) < 0 && errno != EAGAIN)
		truth_fail("send");
}

static int accepting, connecting;
static struct sockaddr_un accepting_name = {.sun_family = AF_UNIX};
static struct sockaddr_un connecting_name = {.sun_family = AF_UNIX};

/* An unnamed address of Linux's own: it leaves no file. */
static int listen_at(struct sockaddr_un *name, int what)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(name->sun_path + 1, sizeof(name->sun_path) - 1, "blocking-calls-%d-%d",
		 (int)getpid(), what);
	if (fd < 0 || bind(fd, (struct sockaddr *)name, sizeof(*name)) || listen(fd, 0))
		truth_fail("listen");
	return fd;
}

static int connect_to(const struct sockaddr_un *name, int flags)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | flags, 0);
	int failed = connect(fd, (const struct sockaddr *)name, sizeof(*name));
	int error = errno;

	close(fd);
	errno = error;
	return failed;
}

static int call_accept(void)
{
	int fd = accept(accepting, NULL, NULL);

	return fd < 0 ? -1 : close(fd);
}

static void end_accept(void)
{
	connect_to(&accepting_name, SOCK_NONBLOCK);
}

/* The queue of those that wait to be accepted is short. */
static int call_connect(void)
{
	return connect_to(&connecting_name, 0);
}

static void end_connect(void)
{
	int fd = accept4(connecting, NULL, NULL, SOCK_NONBLOCK);

	if (fd >= 0)
		close(fd);
}

static int locks[2];

/* The other one holds the lock half of the time. */
static int call_flock(void)
{
	nanosleep(&pause_time, NULL);
	return flock(locks[0], LOCK_EX) ? -1 : flock(locks[0], LOCK_UN);
}

static void end_flock(void)
{
	flock(locks[1], LOCK_EX);
	nanosleep(&pause_time, NULL);
	flock(locks[1], LOCK_UN);
}

static int call_wait4(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		truth_fail("fork");
	if (!child) {
		nanosleep(&pause_time, NULL);
		_exit(0);
	}
	while (wait4(child, &status, 0, NULL) < 0) {
		if (errno != EINTR)
			return -1;
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		errno = EINTR;
		return -1;
	}
	return 0;
}

/* ---- all of them ---- */

static struct kind {
	const char *name;
	int (*call)(void);
	void (*end)(void);
	pthread_t caller, ender;
	long calls, interrupted;
	atomic_bool done;
} kinds[] = {
	{"nanosleep", call_nanosleep},
	{"clock_nanosleep", call_clock_nanosleep},
	{"poll", call_poll},
	{"select", call_select},
	{"epoll_wait", call_epoll_wait},
	{"sigtimedwait", call_sigtimedwait},
	{"futex", call_futex},
	{"semop", call_semop, end_semop},
	{"msgrcv", call_msgrcv, end_msgrcv},
	{"read", call_read, end_read},
	{"write", call_write, end_write},
	{"recv", call_recv, end_recv},
	{"accept", call_accept, end_accept},
	{"connect", call_connect, end_connect},
	{"flock", call_flock, end_flock},
	{"wait4", call_wait4},
};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

static atomic_bool stop;

static void *call_over_and_over(void *of)
{
	struct kind *kind = of;

	while (!stop) {
		kind->calls++;
		if (kind->call() >= 0)
			continue;
		if (errno != EINTR)
			truth_fail(kind->name);
		kind->interrupted++;
	}
	kind->done = true;
	return NULL;
}

/* Also what a caller made its last call for. */
static void *end_over_and_over(void *of)
{
	struct kind *kind = of;

	while (!kind->done) {
		nanosleep(&pause_time, NULL);
		kind->end();
	}
	return NULL;
}

static int open_lock(void)
{
	char name[] = "/tmp/blocking-calls-XXXXXX";
	char path[64];
	int fd = mkstemp(name);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	locks[0] = fd;
	locks[1] = open(path, O_RDWR);
	return unlink(name) || locks[1] < 0 ? -1 : 0;
}

static void open_all(void)
{
	epoll = epoll_create1(0);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	queue = msgget(IPC_PRIVATE, 0600);
	accepting = listen_at(&accepting_name, 0);
	connecting = listen_at(&connecting_name, 1);
	fcntl(connecting, F_SETFL, O_NONBLOCK);
	if (epoll < 0 || semaphores < 0 || queue < 0 || pipe(pipe_ends) || pipe(full_ends) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || open_lock())
		truth_fail("what is waited for");
	fcntl(full_ends[0], F_SETPIPE_SZ, 4096);
	fcntl(full_ends[0], F_SETFL, O_NONBLOCK);
}

static void start(pthread_t *thread, void *(*what)(void *), struct kind *kind)
{
	errno = pthread_create(thread, NULL, what, kind);
	if (errno)
		truth_fail("thread");
}

static void finish(struct kind *kind)
{
	pthread_join(kind->caller, NULL);
	if (kind->end)
		pthread_join(kind->ender, NULL);
	printf("%s %ld %ld\n", kind->name, kind->calls, kind->interrupted);
}

int main(int argc, char **argv)
{
	struct truth truth = {"spin_beside"};

	truth_begin();
	open_all();
	for (size_t i = 0; i < KINDS; i++) {
		start(&kinds[i].caller, call_over_and_over, &kinds[i]);
		if (kinds[i].end)
			start(&kinds[i].ender, end_over_and_over, &kinds[i]);
	}
	truth_spin(&truth, spin_beside, argc > 1 ? atof(argv[1]) : 1);
	stop = true;
	for (size_t i = 0; i < KINDS; i++)
		finish(&kinds[i]);
	semctl(semaphores, 0, IPC_RMID);
	msgctl(queue, IPC_RMID, NULL);
	truth_print(&truth);
	return 0;
}
