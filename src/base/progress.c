// SPDX-License-Identifier: BSD-2-Clause
#include "base/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#define FIRST_US 1000000
#define EACH_US 200000
#define LEVELS 2 /* of what is in each other; what is deeper is not shown */

/* In memory that forked processes share. */
struct amounts {
	_Atomic uint64_t done, all;
};

static struct {
	int fd;
	struct amounts *amounts; /* by level; NULL: nobody looks */
	pthread_mutex_t lock;	 /* of the others */
	const char *what[LEVELS], *unit[LEVELS];
	unsigned depth;
	bool is_shown;
} progress = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool progress_is_possible(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

/* A full-screen program reads keys one by one; a line would land in its picture. */
static bool is_taken(int fd)
{
	struct termios settings;

	return !tcgetattr(fd, &settings) && !(settings.c_lflag & ICANON);
}

bool progress_line(int fd, const char *text)
{
	return !is_taken(fd) && dprintf(fd, "\r\033[K%s", text) > 0;
}

/* What stands behind "profil" for one level. */
static void describe(unsigned level, char *text, size_t size)
{
	uint64_t done = progress.amounts[level].done, all = progress.amounts[level].all;

	if (all)
		(void)snprintf(text, size, ": %s: %" PRIu64 " of %" PRIu64 " %s",
			       progress.what[level], done, all, progress.unit[level]);
	else
		(void)snprintf(text, size, ": %s", progress.what[level]);
}

static void show(void)
{
	char parts[LEVELS][128] = {"", ""}, line[300];

	for (unsigned i = 0; i < LEVELS && i < progress.depth; i++)
		describe(i, parts[i], sizeof(parts[i]));
	(void)snprintf(line, sizeof(line), "profil%s%s", parts[0], parts[1]);
	progress.is_shown |= progress_line(progress.fd, line);
}

static void lock(void)
{
	pthread_mutex_lock(&progress.lock);
}

static void unlock(void)
{
	pthread_mutex_unlock(&progress.lock);
}

/* A thread: what is slow may be a single call of a library. */
static void *look(void *unused)
{
	for (useconds_t pause = FIRST_US;; pause = EACH_US) {
		(void)usleep(pause);
		lock();
		if (progress.depth)
			show();
		unlock();
	}
	return unused;
}

void progress_open(int fd)
{
	size_t size = LEVELS * sizeof(*progress.amounts);
	sigset_t all, before;
	pthread_t thread;
	void *amounts;

	if (progress.amounts || !progress_is_possible(fd))
		return;
	amounts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (amounts == MAP_FAILED)
		return;
	progress.fd = fd;
	progress.amounts = amounts;
	/* A process that is forked while a line is written has nobody who would unlock it. */
	(void)pthread_atfork(lock, unlock, unlock);
	/* Signals are the first thread's. */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	if (!pthread_create(&thread, NULL, look, NULL))
		(void)pthread_detach(thread);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_begin(const char *what, const char *unit)
{
	unsigned level;

	if (!progress.amounts)
		return;
	lock();
	level = progress.depth++;
	if (level < LEVELS) {
		progress.what[level] = what;
		progress.unit[level] = unit;
		progress.amounts[level].all = 0;
	}
	unlock();
}

void progress_end(void)
{
	if (!progress.amounts)
		return;
	lock();
	if (!--progress.depth && progress.is_shown)
		progress.is_shown = !progress_line(progress.fd, "");
	unlock();
}

void progress_at(uint64_t done, uint64_t all)
{
	if (!progress.amounts || progress.depth - 1 >= LEVELS)
		return;
	atomic_store_explicit(&progress.amounts[progress.depth - 1].done, done,
			      memory_order_relaxed);
	atomic_store_explicit(&progress.amounts[progress.depth - 1].all, all, memory_order_relaxed);
}
