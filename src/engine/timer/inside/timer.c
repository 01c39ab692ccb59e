// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/hidden.h"
#include "engine/inside/inside.h"
#include "engine/inside/space.h"
#include "engine/inside/tally.h"
#include "engine/inside/threads.h"
#include "engine/timer/inside/tick_signal.h"
#include "engine/timer/inside/timer_threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The engine that needs nothing: a POSIX timer on each thread's CPU clock whose signal the thread
 * itself takes.
 *
 * The kernel looks at these clocks at its own tick (CONFIG_HZ), so that signals come no faster;
 * each counts what its thread is due since the last one (ledger.h), and the magnitude stays exact.
 * What is not seen is what a thread has had since its last signal: at the end of its life, or of
 * the measurement, half a kernel's tick on average.  It is in CPU_NS, so it can be told.
 *
 * A new thread is found when the process has had another 4 ms of CPU time, or more where looking
 * takes long; its first signal then makes up for the time since its birth.  One that lives shorter
 * may be missed whole.  Where more threads run than CPUs, or threads sleep before each tick, the
 * kernel's tick may come while others run: then such a thread's next signal brings what it is due.
 * Nobody sends it one before, for that would come where it was put off its CPU or just left a
 * system call, and be charged there: so it was once, with 30 % of all ticks at calls that took 1 %.
 *
 * A thread that blocks the signal cannot be interrupted, by no means: its ticks come as one, with
 * their full weight, where it unblocks it.  A system call that no SA_RESTART restarts (poll,
 * nanosleep of old) may return EINTR if the tick comes just as it goes to sleep. */

struct inside {
	struct tally tally;
	struct tick_signal signal;
	pthread_mutex_t lock; /* of timers and present */
	struct timer_threads timers;
	struct thread_list present;
	struct hidden watcher; /* not with this_thread */
	bool this_thread;
	int fd; /* the watcher's, to list threads by */
	clockid_t clock;
	uint64_t cpu_before;
	uint64_t cpu_seen; /* by the watcher, at its last turn */
};

/* At most this part of the CPU time goes into looking for threads. */
#define LOOK_PART 50
#define LOOK_EVERY_NS 4000000

/* The watcher's own timer too goes by the kernel's tick, which a program that always sleeps at it
 * never meets.  While such a program runs, this often; one that does nothing is never woken. */
#define LOOK_AGAIN_NS 100000000

static int add_all(struct inside *inside, enum timer_from from, struct error *reterr)
{
	int ret = 0;

	for (size_t i = 0; i < inside->present.count && !ret; i++)
		ret = timer_threads_add(&inside->timers, thread_at(&inside->present, i), from,
					reterr);
	return ret;
}

static void close_fd(struct inside *inside)
{
	if (inside->fd >= 0)
		(void)close(inside->fd);
	inside->fd = -1;
}

static int read_threads(struct inside *inside)
{
	if (inside->fd < 0)
		inside->fd = threads_open();
	if (inside->fd < 0)
		return inside->fd;
	return threads_read(inside->fd, &inside->present);
}

static int look_at_all(struct inside *inside, enum timer_from from, struct error *reterr)
{
	int ret = read_threads(inside);

	if (ret)
		return error_set(reterr, ret, "/proc/self/task: %s: mount /proc", strerror(-ret));
	timer_threads_keep(&inside->timers, &inside->present);
	ret = add_all(inside, from, reterr);
	return ret;
}

/* A descriptor that is the program's too is not kept, for the program may close it. */
static int look(struct inside *inside, enum timer_from from, struct error *reterr)
{
	int ret = look_at_all(inside, from, reterr);

	if (inside->watcher.shares_descriptors)
		close_fd(inside);
	return ret;
}

/* Threads are born meanwhile: until nobody is new. */
static int watch_begin(void *owner, struct error *reterr)
{
	struct inside *inside = owner;
	size_t before;
	int ret;

	do {
		before = inside->timers.count;
		ret = look(inside, TIMER_FROM_NOW, reterr);
	} while (!ret && inside->timers.count > before);
	return ret;
}

static uint64_t cpu_since(const struct inside *inside)
{
	uint64_t cpu = clock_ns(inside->clock);

	if (!inside->this_thread)
		cpu -= clock_ns(thread_clock(inside->watcher.tid));
	return cpu > inside->cpu_before ? cpu - inside->cpu_before : 0;
}

/* Since the last turn. */
static bool has_run(struct inside *inside)
{
	uint64_t before = inside->cpu_seen;

	inside->cpu_seen = cpu_since(inside);
	return inside->cpu_seen > before;
}

static int timer_account(struct inside *inside, struct inside_account *ret_account)
{
	tally_read(&inside->tally, ret_account);
	ret_account->cpu_ns = cpu_since(inside);
	ret_account->threads = __atomic_load_n(&inside->timers.added, __ATOMIC_RELAXED);
	return 0;
}

/* What cannot be had a timer now may have one the next time. */
static struct hidden_nap watch_turn(void *owner)
{
	struct inside *inside = owner;
	const struct inside_receiver *receiver = inside->tally.receiver;
	uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;
	struct inside_account account;

	if (tally_has_ended(&inside->tally))
		return (struct hidden_nap){0};
	(void)pthread_mutex_lock(&inside->lock);
	(void)look(inside, TIMER_FROM_BIRTH, /* reterr= */ NULL);
	(void)pthread_mutex_unlock(&inside->lock);
	if (receiver && !timer_account(inside, &account))
		receiver->watch(receiver->guest, &account);
	took = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) * LOOK_PART;
	return (struct hidden_nap){
		.cpu_ns = took > LOOK_EVERY_NS ? took : LOOK_EVERY_NS,
		.wall_ns = has_run(inside) ? LOOK_AGAIN_NS : 0,
	};
}

static void watch_end(void *owner)
{
	close_fd(owner);
}

static const struct hidden_work watch = {
	.begin = watch_begin,
	.turn = watch_turn,
	.end = watch_end,
};

static int timer_start_ticks(struct inside *inside, struct error *reterr)
{
	if (inside->this_thread)
		return timer_threads_add(&inside->timers, gettid(), TIMER_FROM_NOW, reterr);
	return hidden_start(&inside->watcher, &watch, inside, reterr);
}

static struct inside *make(const struct inside_options *options)
{
	struct inside *inside = space_make(sizeof(*inside));

	if (!inside)
		return NULL;
	inside->tally.table = options->table;
	inside->tally.list = options->list;
	inside->tally.receiver = options->receiver;
	inside->this_thread = options->this_thread;
	inside->fd = -1;
	inside->clock = options->this_thread ? thread_clock(gettid()) : CLOCK_PROCESS_CPUTIME_ID;
	inside->cpu_before = clock_ns(inside->clock);
	timer_threads_init(&inside->timers, options->period_ns, &inside->signal);
	inside->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return inside;
}

/* On return no handler looks at INSIDE any more. */
static void end_ticks(struct inside *inside)
{
	timer_threads_delete(&inside->timers);
	tick_signal_release(&inside->signal);
}

static void destroy(struct inside *inside)
{
	timer_threads_done(&inside->timers);
	threads_done(&inside->present);
	(void)pthread_mutex_destroy(&inside->lock);
	space_free(inside, sizeof(*inside));
}

static int timer_start(const struct inside_options *options, struct inside **ret_inside,
		       struct error *reterr)
{
	struct inside *inside = make(options);
	int ret;

	if (!inside)
		return error_set(reterr, -ENOMEM, "out of memory: free some");
	ret = tick_signal_take(&inside->signal, &inside->tally, &inside->timers.ledger, reterr);
	if (ret) {
		destroy(inside);
		return ret;
	}
	ret = timer_start_ticks(inside, reterr);
	if (ret) {
		end_ticks(inside);
		destroy(inside);
		return ret;
	}
	*ret_inside = inside;
	return 0;
}

static void timer_stop(struct inside *inside, struct inside_account *ret_account)
{
	uint64_t cpu = cpu_since(inside);

	if (!inside->this_thread)
		hidden_stop(&inside->watcher);
	end_ticks(inside);
	if (ret_account) {
		(void)timer_account(inside, ret_account);
		ret_account->cpu_ns = cpu;
	}
	destroy(inside);
}

/* Nothing but the clock that a tick needs. */
static int timer_probe(const struct inside_options *options, struct error *reterr)
{
	struct sigevent silent = {.sigev_notify = SIGEV_NONE};
	timer_t timer;

	(void)options;
	if (timer_create(thread_clock(gettid()), &silent, &timer))
		return error_set(reterr, -errno, "timer on a thread's CPU clock: %s: see ulimit -i",
				 strerror(errno));
	(void)timer_delete(timer);
	return 0;
}

/* The signal's lock comes first, for all measurements share it: with theirs first, those of two
 * would be taken in both orders around it. */
static void timer_fork_prepare(struct inside *inside, struct inside_account *ret_account)
{
	tick_signal_fork_prepare(&inside->signal);
	(void)pthread_mutex_lock(&inside->lock);
	(void)timer_account(inside, ret_account);
}

static void timer_fork_parent(struct inside *inside)
{
	(void)pthread_mutex_unlock(&inside->lock);
	tick_signal_fork_parent(&inside->signal);
}

static void timer_fork_child(struct inside *inside)
{
	if (!inside->this_thread)
		hidden_forget(&inside->watcher);
	(void)pthread_mutex_unlock(&inside->lock);
	tick_signal_fork_child(&inside->signal);
	destroy(inside);
}

const struct inside_ops inside_timer = {
	.name = "timer",
	.probe = timer_probe,
	.start = timer_start,
	.account = timer_account,
	.stop = timer_stop,
	.fork_prepare = timer_fork_prepare,
	.fork_parent = timer_fork_parent,
	.fork_child = timer_fork_child,
};
