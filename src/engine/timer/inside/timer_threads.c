// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/timer_threads.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct thread_timer {
	pid_t tid;
	timer_t timer;
	uint32_t line;
};

static struct thread_timer *all_of(const struct timer_threads *timers)
{
	return timers->space.start;
}

void timer_threads_init(struct timer_threads *timers, uint64_t period_ns,
			const struct tick_signal *signal)
{
	*timers = (struct timer_threads){
		.ledger = {.period_ns = period_ns},
		.signal = signal,
		.dice = clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 32,
	};
}

/* Where TID is or would be. */
static size_t find(const struct timer_threads *timers, pid_t tid)
{
	return ARRAY_FIRST_NOT(i, timers->count, all_of(timers)[i].tid < tid);
}

static bool has(const struct timer_threads *timers, size_t at, pid_t tid)
{
	return at < timers->count && all_of(timers)[at].tid == tid;
}

static bool is_gone(pid_t tid)
{
	return tgkill(getpid(), tid, 0) && errno == ESRCH;
}

/* ------------------------------------------------------------------ lines */

/* One that is nobody's stays so until it is taken with a timer. */
static int free_line(struct timer_threads *timers, uint32_t *ret_line)
{
	int ret;

	if (timers->freed_count) {
		*ret_line = ((uint32_t *)timers->freed.start)[timers->freed_count - 1];
		return 0;
	}
	ret = ledger_reserve(&timers->ledger, timers->lines);
	if (!ret) /* room to give it back, so that giving cannot fail */
		ret = space_reserve(&timers->freed, (timers->lines + 1) * sizeof(uint32_t));
	if (!ret)
		*ret_line = timers->lines;
	return ret;
}

static void take_line(struct timer_threads *timers)
{
	if (timers->freed_count)
		timers->freed_count--;
	else
		timers->lines++;
}

static void give_line(struct timer_threads *timers, uint32_t line)
{
	((uint32_t *)timers->freed.start)[timers->freed_count++] = line;
}

/* Of the generator of Steele, Lea and Flood (SplitMix64). */
static uint64_t draw(struct timer_threads *timers)
{
	uint64_t x = timers->dice += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* The base is up to a period before the thread was ours; that before its birth wraps. */
static void begin_line(struct timer_threads *timers, uint32_t number, uint64_t cpu_ns)
{
	struct ledger_line *line = ledger_line(&timers->ledger, number);
	uint64_t base = cpu_ns - draw(timers) % timers->ledger.period_ns;

	__atomic_store_n(&line->base, base, __ATOMIC_RELAXED);
	__atomic_store_n(&line->ticks, 0, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ timers */

static int make(const struct timer_threads *timers, pid_t tid, uint32_t line, timer_t *ret_timer)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = timers->signal->number,
		.sigev_value.sival_ptr = tick_signal_cookie(timers->signal, line),
		._sigev_un._tid = tid,
	};

	return timer_create(thread_clock(tid), &event, ret_timer) ? -errno : 0;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000)};
}

/* From the next tick after the last one counted; at once when that has passed. */
static int arm(const struct timer_threads *timers, timer_t timer, uint32_t number)
{
	uint64_t period = timers->ledger.period_ns;
	uint64_t next = ledger_next(&timers->ledger, ledger_line(&timers->ledger, number));
	struct itimerspec when = {.it_value = timespec_of(next),
				  .it_interval = timespec_of(period)};

	return timer_settime(timer, TIMER_ABSTIME, &when, NULL) ? -errno : 0;
}

static int make_armed(struct timer_threads *timers, enum timer_from from, struct thread_timer *new)
{
	int ret = free_line(timers, &new->line);

	if (ret)
		return ret;
	ret = make(timers, new->tid, new->line, &new->timer);
	if (ret)
		return ret;
	begin_line(timers, new->line,
		   from == TIMER_FROM_NOW ? clock_ns(thread_clock(new->tid)) : 0);
	ret = arm(timers, new->timer, new->line);
	if (ret)
		(void)timer_delete(new->timer);
	return ret;
}

static void insert(struct timer_threads *timers, size_t at, struct thread_timer new)
{
	struct thread_timer *place = all_of(timers) + at;

	memmove(place + 1, place, (timers->count - at) * sizeof(*place));
	*place = new;
	timers->count++;
	__atomic_fetch_add(&timers->added, 1, __ATOMIC_RELAXED);
	take_line(timers);
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
		ret = make_armed(timers, from, &new);
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

/* A timer keeps to its thread, whoever has the number now: on the clock of one that has ended it
 * shows no time to wait. */
static bool is_running(const struct thread_timer *timer)
{
	struct itimerspec left;

	return !timer_gettime(timer->timer, &left) &&
	       (left.it_value.tv_sec || left.it_value.tv_nsec);
}

/* The list may have missed one, while another ended. */
static bool stays(const struct thread_timer *timer, const struct thread_list *present)
{
	return (threads_have(present, timer->tid) || !is_gone(timer->tid)) && is_running(timer);
}

void timer_threads_keep(struct timer_threads *timers, const struct thread_list *present)
{
	struct thread_timer *all = all_of(timers);
	size_t kept = 0;

	for (size_t i = 0; i < timers->count; i++) {
		if (stays(&all[i], present)) {
			all[kept++] = all[i];
			continue;
		}
		(void)timer_delete(all[i].timer);
		give_line(timers, all[i].line);
	}
	timers->count = kept;
}

void timer_threads_delete(struct timer_threads *timers)
{
	for (size_t i = 0; i < timers->count; i++)
		(void)timer_delete(all_of(timers)[i].timer);
	timers->count = 0;
}

void timer_threads_done(struct timer_threads *timers)
{
	space_done(&timers->space);
	space_done(&timers->freed);
	ledger_done(&timers->ledger);
	timers->count = 0;
}
