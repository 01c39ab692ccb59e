// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/timer_threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct thread_timer {
	pid_t tid;
	timer_t timer;
};

static struct thread_timer *all_of(const struct timer_threads *timers)
{
	return timers->space.start;
}

/* Where TID is or would be. */
static size_t find(const struct timer_threads *timers, pid_t tid)
{
	size_t low = 0, high = timers->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all_of(timers)[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool has(const struct timer_threads *timers, size_t at, pid_t tid)
{
	return at < timers->count && all_of(timers)[at].tid == tid;
}

static bool is_gone(pid_t tid)
{
	return tgkill(getpid(), tid, 0) && errno == ESRCH;
}

static int make(const struct timer_threads *timers, pid_t tid, timer_t *ret_timer)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = timers->signal->number,
		.sigev_value.sival_ptr = timers->signal->cookie,
		._sigev_un._tid = tid,
	};

	return timer_create(thread_clock(tid), &event, ret_timer) ? -errno : 0;
}

static int arm(const struct timer_threads *timers, timer_t timer, enum timer_from from)
{
	struct timespec period = {.tv_sec = (time_t)(timers->period_ns / 1000000000),
				  .tv_nsec = (long)(timers->period_ns % 1000000000)};
	struct itimerspec when = {.it_value = period, .it_interval = period};

	return timer_settime(timer, from == TIMER_FROM_BIRTH ? TIMER_ABSTIME : 0, &when, NULL)
		       ? -errno
		       : 0;
}

static int make_armed(const struct timer_threads *timers, pid_t tid, enum timer_from from,
		      timer_t *ret_timer)
{
	timer_t timer;
	int ret = make(timers, tid, &timer);

	if (ret)
		return ret;
	ret = arm(timers, timer, from);
	if (ret)
		(void)timer_delete(timer);
	else
		*ret_timer = timer;
	return ret;
}

static void insert(struct timer_threads *timers, size_t at, struct thread_timer new)
{
	struct thread_timer *place = all_of(timers) + at;

	memmove(place + 1, place, (timers->count - at) * sizeof(*place));
	*place = new;
	timers->count++;
}

int timer_threads_add(struct timer_threads *timers, pid_t tid, enum timer_from from,
		      struct error *reterr)
{
	struct thread_timer new = {.tid = tid};
	size_t at = find(timers, tid);
	int ret;

	if (has(timers, at, tid))
		return 0;
	ret = space_reserve(&timers->space, (timers->count + 1) * sizeof(new));
	if (!ret)
		ret = make_armed(timers, tid, from, &new.timer);
	if (ret && is_gone(tid))
		return 0;
	if (ret)
		return error_set(reterr, ret, "timer on the CPU clock of thread %d: %s: %s",
				 (int)tid, strerror(-ret),
				 ret == -EAGAIN ? "raise ulimit -i"
						: "use an engine without timers");
	insert(timers, at, new);
	return 0;
}

void timer_threads_keep(struct timer_threads *timers, const struct thread_list *present)
{
	struct thread_timer *all = all_of(timers);
	size_t kept = 0;

	for (size_t i = 0; i < timers->count; i++) {
		if (threads_have(present, all[i].tid))
			all[kept++] = all[i];
		else
			(void)timer_delete(all[i].timer);
	}
	timers->count = kept;
}

void timer_threads_done(struct timer_threads *timers)
{
	for (size_t i = 0; i < timers->count; i++)
		(void)timer_delete(all_of(timers)[i].timer);
	timer_threads_forget(timers);
}

void timer_threads_forget(struct timer_threads *timers)
{
	space_done(&timers->space);
	timers->count = 0;
}
