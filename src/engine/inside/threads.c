// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's own encoding (linux/posix-timers.h), which pthread_getcpuclockid() gives too, but
 * only for a pthread_t: the complement of the thread's number above, then "of one thread", then
 * "scheduler's time, to the nanosecond". */
#define CLOCK_OF_ONE_THREAD 4
#define CLOCK_SCHED 2

#define MAX_HIDDEN 64

static pid_t hidden[MAX_HIDDEN]; /* atomic; 0: free */

int threads_open(void)
{
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

pid_t thread_at(const struct thread_list *list, size_t index)
{
	return ((const pid_t *)list->space.start)[index];
}

/* The kernel lists them as they were born, mostly in rising order already.  One that ends meanwhile
 * may make it show another one twice. */
static void insert(pid_t *tids, size_t *count, pid_t tid)
{
	size_t at = *count;

	while (at && tids[at - 1] > tid)
		at--;
	if (at && tids[at - 1] == tid)
		return;
	memmove(&tids[at + 1], &tids[at], (*count - at) * sizeof(*tids));
	tids[at] = tid;
	++*count;
}

static int append(struct thread_list *list, const char *name)
{
	pid_t tid = (pid_t)strtol(name, NULL, 10); /* 0 for "." and ".." */
	int ret;

	if (!tid || thread_is_hidden(tid))
		return 0;
	ret = space_reserve(&list->space, (list->count + 1) * sizeof(tid));
	if (!ret)
		insert(list->space.start, &list->count, tid);
	return ret;
}

static int append_all(struct thread_list *list, const char *entries, size_t bytes)
{
	int ret = 0;

	for (size_t at = 0; at < bytes && !ret;) {
		const struct dirent64 *entry = (const struct dirent64 *)(entries + at);

		ret = append(list, entry->d_name);
		at += entry->d_reclen;
	}
	return ret;
}

int threads_read(int fd, struct thread_list *list)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t bytes;
	int ret;

	list->count = 0;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while ((bytes = getdents64(fd, entries, sizeof(entries))) > 0) {
		ret = append_all(list, entries, (size_t)bytes);
		if (ret)
			return ret;
	}
	return bytes < 0 ? -errno : 0;
}

static int compare(const void *left, const void *right)
{
	pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;

	return (a > b) - (a < b);
}

bool threads_have(const struct thread_list *list, pid_t tid)
{
	return list->count && bsearch(&tid, list->space.start, list->count, sizeof(pid_t), compare);
}

void threads_done(struct thread_list *list)
{
	space_done(&list->space);
	list->count = 0;
}

clockid_t thread_clock(pid_t tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | CLOCK_OF_ONE_THREAD | CLOCK_SCHED);
}

uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int thread_hide(pid_t tid)
{
	for (size_t i = 0; i < MAX_HIDDEN; i++) {
		pid_t nobody = 0;

		if (__atomic_compare_exchange_n(&hidden[i], &nobody, tid, /* weak= */ false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return 0;
	}
	return -EAGAIN;
}

void thread_unhide(pid_t tid)
{
	for (size_t i = 0; i < MAX_HIDDEN; i++)
		if (__atomic_load_n(&hidden[i], __ATOMIC_RELAXED) == tid)
			__atomic_store_n(&hidden[i], 0, __ATOMIC_RELAXED);
}

bool thread_is_hidden(pid_t tid)
{
	for (size_t i = 0; i < MAX_HIDDEN; i++)
		if (__atomic_load_n(&hidden[i], __ATOMIC_RELAXED) == tid)
			return true;
	return false;
}
