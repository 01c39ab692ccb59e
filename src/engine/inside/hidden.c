// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/hidden.h"

#include "engine/inside/hidden_place.h"
#include "engine/inside/raw.h"
#include "engine/inside/signals.h"
#include "engine/inside/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library ends a process when the last of as many threads has ended: so a program's does
 * whose main() has left by pthread_exit(3).  Ours must not be among them, or it would never end.
 * glibc has it for its thread debugger; elsewhere it is not there. */
extern unsigned int __nptl_nthreads __attribute__((weak));

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};
}

static int make_timer(struct hidden *hidden, struct error *reterr)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = hidden->signal,
		._sigev_un._tid = hidden->tid,
	};

	if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &hidden->timer))
		return error_set(reterr, -errno,
				 "timer on the process's CPU clock: %s: see ulimit -i",
				 strerror(errno));
	hidden->has_timer = true;
	return 0;
}

/* A copy of the program's descriptors that is empty; the program's stay as they are.  Kernels
 * before 5.9 take two steps. */
static bool leave_descriptors(void)
{
	if (!syscall(SYS_close_range, 0U, ~0U, CLOSE_RANGE_UNSHARE))
		return true;
	if (syscall(SYS_unshare, CLONE_FILES))
		return false;
	for (long i = 0, max = sysconf(_SC_OPEN_MAX); i < max; i++)
		(void)close((int)i);
	return true;
}

static int begin(struct hidden *hidden)
{
	int ret;

	hidden->tid = gettid();
	(void)prctl(PR_SET_NAME, "profil");
	hidden->shares_descriptors = !leave_descriptors();
	if (hidden->shares_descriptors && hidden->work->keeps_descriptors)
		return error_set(hidden->reterr, -EPERM,
				 "descriptors: a thread may not have its own here: "
				 "allow close_range or unshare");
	ret = thread_hide(hidden->tid);
	if (ret)
		return error_set(hidden->reterr, ret,
				 "hidden threads: there are too many: end a measurement");
	ret = make_timer(hidden, hidden->reterr);
	if (ret)
		return ret;
	return hidden->work->begin ? hidden->work->begin(hidden->owner, hidden->reterr) : 0;
}

/* Armed under the lock: a timer that is armed anew drops its pending signal, and that may be the
 * one that says to leave. */
static bool fall_asleep(struct hidden *hidden, uint64_t cpu_ns)
{
	struct itimerspec when = {.it_value = timespec_of(cpu_ns)};
	bool stays;

	(void)pthread_mutex_lock(&hidden->lock);
	stays = !hidden->leave;
	if (stays)
		(void)timer_settime(hidden->timer, 0, &when, NULL);
	(void)pthread_mutex_unlock(&hidden->lock);
	return stays;
}

/* Real, effective, saved. */
struct ids {
	unsigned user[3], group[3];
};

static bool has_root(const unsigned *users)
{
	return !users[0] || !users[1] || !users[2];
}

static bool find_three(const char *text, const char *name, unsigned *ids)
{
	const char *line = strstr(text, name);

	return line && sscanf(line + strlen(name), "%u %u %u", &ids[0], &ids[1], &ids[2]) == 3;
}

/* The process's first thread, which every change of the C library's reaches. */
static bool read_first(struct ids *ret_ids)
{
	char path[64], text[2048];
	ssize_t bytes;
	int fd;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)getpid());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read(fd, text, sizeof(text) - 1);
	(void)close(fd);
	if (bytes < 0)
		return false;
	text[bytes] = '\0';
	return find_three(text, "\nUid:", ret_ids->user) &&
	       find_three(text, "\nGid:", ret_ids->group);
}

/* On i386 the calls without a number have 16 bits for an identity. */
#if defined(__i386__)
#define SET_GROUPS SYS_setgroups32
#define SET_GROUP SYS_setresgid32
#define SET_USER SYS_setresuid32
#else
#define SET_GROUPS SYS_setgroups
#define SET_GROUP SYS_setresgid
#define SET_USER SYS_setresuid
#endif

/* Not the C library's calls, which would change all threads. */
static void become(const struct ids *ids)
{
	raw_syscall(SET_GROUPS, 0, 0, 0, 0, 0, 0);
	raw_syscall(SET_GROUP, ids->group[0], ids->group[1], ids->group[2], 0, 0, 0);
	raw_syscall(SET_USER, ids->user[0], ids->user[1], ids->user[2], 0, 0, 0);
}

/* Where root's program has become another user, the calling thread becomes that too, for good, and
 * leaves all groups: the C library does so with its own threads, and one that only the kernel made
 * is none of them. */
static void follow_rights(void)
{
	struct ids own, first;

	if (getresuid(&own.user[0], &own.user[1], &own.user[2]) || !has_root(own.user))
		return;
	if (read_first(&first) && memcmp(own.user, first.user, sizeof(own.user)) != 0)
		become(&first);
}

static bool sleep_for(struct hidden *hidden, struct hidden_nap nap)
{
	struct timespec wall = timespec_of(nap.wall_ns);
	sigset_t wake;

	if (!fall_asleep(hidden, nap.cpu_ns))
		return false;
	sigemptyset(&wake);
	sigaddset(&wake, hidden->signal);
	(void)sigtimedwait(&wake, NULL, nap.wall_ns ? &wall : NULL);
	if (hidden->is_cloned)
		follow_rights();
	return true;
}

static void leave_count(void)
{
	if (&__nptl_nthreads)
		__atomic_fetch_sub(&__nptl_nthreads, 1, __ATOMIC_RELAXED);
}

/* For the C library counts it out when it ends.  Where it is the last one to be counted then, the
 * program's last thread is in exit(3) and waits for it: not twice. */
static void join_count(void)
{
	if (&__nptl_nthreads && !__atomic_fetch_add(&__nptl_nthreads, 1, __ATOMIC_RELAXED))
		__atomic_fetch_add(&__nptl_nthreads, 1, __ATOMIC_RELAXED);
}

static void work(struct hidden *hidden)
{
	int result = begin(hidden);

	hidden->result = result;
	(void)sem_post(&hidden->begun);
	if (!result)
		while (sleep_for(hidden, hidden->work->turn(hidden->owner)))
			;
	if (hidden->work->end)
		hidden->work->end(hidden->owner);
}

/* Whoever starts or stops it waits meanwhile, and is counted. */
static void *run(void *argument)
{
	struct hidden *hidden = argument;

	place_note(hidden->place);
	leave_count();
	work(hidden);
	join_count();
	return NULL;
}

static void *run_cloned(void *argument)
{
	work(argument);
	return NULL;
}

static int create(struct hidden *hidden)
{
	int ret;

	hidden->place = place_take();
	hidden->is_cloned = hidden->place;
	if (!hidden->is_cloned)
		return place_create(run, hidden, &hidden->place, &hidden->thread);
	ret = place_clone(hidden->place, run_cloned, hidden, &hidden->runs);
	if (ret)
		place_keep(hidden->place);
	return ret;
}

static int create_blocked(struct hidden *hidden)
{
	sigset_t all, before = {};
	int ret;

	sigfillset(&all);
	signals_mask(SIG_SETMASK, &all, &before);
	ret = create(hidden);
	signals_mask(SIG_SETMASK, &before, NULL);
	return ret;
}

static void join(struct hidden *hidden)
{
	if (hidden->is_cloned) {
		place_wait(&hidden->runs);
		place_keep(hidden->place);
	} else {
		(void)pthread_join(hidden->thread, NULL);
		place_free(hidden->place);
	}
	thread_unhide(hidden->tid);
	if (hidden->has_timer)
		(void)timer_delete(hidden->timer);
	(void)sem_destroy(&hidden->begun);
	(void)pthread_mutex_destroy(&hidden->lock);
}

int hidden_start(struct hidden *hidden, const struct hidden_work *work, void *owner,
		 struct error *reterr)
{
	int ret;

	*hidden = (struct hidden){.work = work,
				  .owner = owner,
				  .reterr = reterr,
				  .signal = signal_for_hidden_threads(),
				  .lock = PTHREAD_MUTEX_INITIALIZER};
	if (hidden->signal < 0)
		return error_set(reterr, hidden->signal,
				 "real-time signals: the program uses them all: leave one");
	(void)sem_init(&hidden->begun, /* shared= */ 0, 0);
	ret = create_blocked(hidden);
	if (ret)
		return error_set(reterr, ret, "thread: %s: see ulimit -u", strerror(-ret));
	while (sem_wait(&hidden->begun))
		;
	if (hidden->result)
		join(hidden);
	return hidden->result;
}

/* A point of time that has passed: the timer fires at once, and its signal needs no memory. */
void hidden_stop(struct hidden *hidden)
{
	struct itimerspec now = {.it_value = {.tv_nsec = 1}};

	(void)pthread_mutex_lock(&hidden->lock);
	hidden->leave = true;
	(void)timer_settime(hidden->timer, TIMER_ABSTIME, &now, NULL);
	(void)pthread_mutex_unlock(&hidden->lock);
	join(hidden);
}

void hidden_forget(struct hidden *hidden)
{
	thread_unhide(hidden->tid);
	place_keep(hidden->place);
}
