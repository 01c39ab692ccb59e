// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/event_ticks.h"
#include "engine/inside/hidden.h"
#include "engine/inside/inside.h"
#include "engine/perf/inside/events.h"
#include "engine/inside/space.h"
#include "engine/inside/tally.h"
#include "engine/inside/threads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The engine of whoever may open perf events on itself: the kernel writes each tick's address into
 * a ring, a hidden thread counts it, at most 20 ms later.  No record is kept.  The clock is exact
 * to the period: what its interrupt missed by being late is in the next sample (event_ticks.h). The
 * program takes no signal and may block what it likes.  Not seen: the rest of a period on each CPU
 * at the end of a thread's life, and ticks in kernel mode where the kernel keeps them to itself.
 *
 * The descriptors are the hidden thread's own: the program cannot close them, a forked child does
 * not have them, and they go with exec. */

struct inside {
	struct tally tally;
	struct hidden hidden;
	pthread_mutex_t lock; /* of the rings' reading */
	struct perf_events events;
	uint64_t period_ns;
	bool this_thread;
	pid_t pid;
	pid_t tid; /* with this_thread */
	clockid_t clock;
	uint64_t cpu_before;
	struct event_ticks ticks;
	uint64_t seen; /* samples of any kind, so that the hidden thread knows whether some came */
};

/* Between two looks at the rings while something comes; the rest of 20 ms is for being late. */
#define LOOK_EVERY_NS 12000000

/* A burst shorter than the kernel's tick may go unnoticed until the next one. */
#define WAKE_AFTER_CPU_NS 1

#define OPEN_TRIES 10

static void take_sample(void *owner, const struct ring_sample *sample)
{
	struct inside *inside = owner;

	uint32_t ticks = 1;

	inside->seen++;
	if ((pid_t)sample->pid != inside->pid || thread_is_hidden((pid_t)sample->tid))
		return;
	if (inside->events.have_counts)
		ticks = event_ticks_take(&inside->ticks, sample->event, sample->counted_ns);
	if (ticks)
		tally_tick(&inside->tally, (uintptr_t)sample->pc, /* context= */ NULL, ticks);
}

static void take_lost(void *owner, uint64_t records)
{
	struct inside *inside = owner;

	inside->seen++;
	tally_lose(&inside->tally, records);
	event_ticks_forget(&inside->ticks);
}

/* Returns how many came. */
static uint64_t drain_locked(struct inside *inside)
{
	struct ring_reader reader = {
		.owner = inside,
		.has_count = inside->events.have_counts,
		.sample = take_sample,
		.lost = take_lost,
	};
	uint64_t before = inside->seen;

	perf_events_drain(&inside->events, &reader);
	return inside->seen - before;
}

static uint64_t drain(struct inside *inside)
{
	uint64_t came;

	(void)pthread_mutex_lock(&inside->lock);
	came = drain_locked(inside);
	(void)pthread_mutex_unlock(&inside->lock);
	return came;
}

static bool are_equal(const struct thread_list *left, const struct thread_list *right)
{
	return left->count == right->count &&
	       (!left->count ||
		!memcmp(left->space.start, right->space.start, left->count * sizeof(pid_t)));
}

/* Whether a thread that was born meanwhile has inherited events or not, nobody can tell; twice is
 * worse than none.  So all is opened anew until nobody was born meanwhile.  In a program that
 * gives birth all the time that may never be: then the last is taken, in which a few born between
 * its list and its events are missing. */
static int open_stable(struct inside *inside, int fd, struct thread_list *before,
		       struct thread_list *after, struct error *reterr)
{
	int ret = 0;

	for (int i = 0; i < OPEN_TRIES && !ret; i++) {
		perf_events_close(&inside->events);
		ret = threads_read(fd, before);
		if (!ret)
			ret = perf_events_open_all(&inside->events, before, inside->period_ns,
						   reterr);
		if (!ret)
			ret = threads_read(fd, after);
		if (!ret && are_equal(before, after))
			break;
	}
	return ret;
}

static int open_all(struct inside *inside, struct error *reterr)
{
	struct thread_list before = {0}, after = {0};
	int fd = threads_open(), ret;

	if (fd < 0)
		return error_set(reterr, fd, "/proc/self/task: %s: mount /proc", strerror(-fd));
	ret = open_stable(inside, fd, &before, &after, reterr);
	threads_done(&before);
	threads_done(&after);
	(void)close(fd);
	return ret;
}

static int drain_begin(void *owner, struct error *reterr)
{
	struct inside *inside = owner;

	if (inside->this_thread)
		return perf_events_open_one(&inside->events, inside->tid, inside->period_ns,
					    reterr);
	return open_all(inside, reterr);
}

static struct hidden_nap drain_turn(void *owner)
{
	struct inside *inside = owner;
	uint64_t came = drain(inside);

	if (tally_has_ended(&inside->tally)) {
		perf_events_disable(&inside->events);
		return (struct hidden_nap){0};
	}
	if (came)
		return (struct hidden_nap){.wall_ns = LOOK_EVERY_NS};
	return (struct hidden_nap){.cpu_ns = WAKE_AFTER_CPU_NS};
}

static void drain_end(void *owner)
{
	struct inside *inside = owner;

	perf_events_disable(&inside->events);
	(void)drain(inside);
	perf_events_close(&inside->events);
}

static const struct hidden_work drain_work = {
	.keeps_descriptors = true,
	.begin = drain_begin,
	.turn = drain_turn,
	.end = drain_end,
};

static uint64_t cpu_since(const struct inside *inside)
{
	uint64_t cpu = clock_ns(inside->clock);

	if (!inside->this_thread)
		cpu -= clock_ns(thread_clock(inside->hidden.tid));
	return cpu > inside->cpu_before ? cpu - inside->cpu_before : 0;
}

static struct inside *make(const struct inside_options *options)
{
	struct inside *inside = space_make(sizeof(*inside));

	if (!inside)
		return NULL;
	inside->tally.table = options->table;
	inside->tally.list = options->list;
	inside->period_ns = options->period_ns;
	inside->ticks.period_ns = options->period_ns;
	inside->this_thread = options->this_thread;
	inside->pid = getpid();
	inside->tid = gettid();
	inside->clock = options->this_thread ? thread_clock(gettid()) : CLOCK_PROCESS_CPUTIME_ID;
	inside->cpu_before = clock_ns(inside->clock);
	inside->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	return inside;
}

static void destroy(struct inside *inside)
{
	(void)pthread_mutex_destroy(&inside->lock);
	space_free(inside, sizeof(*inside));
}

static int perf_start(const struct inside_options *options, struct inside **ret_inside,
		      struct error *reterr)
{
	struct inside *inside = make(options);
	int ret;

	if (!inside)
		return error_set(reterr, -ENOMEM, "out of memory: free some");
	ret = hidden_start(&inside->hidden, &drain_work, inside, reterr);
	if (ret) {
		destroy(inside);
		return ret;
	}
	*ret_inside = inside;
	return 0;
}

static void read_account(const struct inside *inside, struct inside_account *ret_account)
{
	tally_read(&inside->tally, ret_account);
	ret_account->cpu_ns = cpu_since(inside);
}

static int perf_account(struct inside *inside, struct inside_account *ret_account)
{
	(void)drain(inside);
	read_account(inside, ret_account);
	return 0;
}

static void perf_stop(struct inside *inside, struct inside_account *ret_account)
{
	uint64_t cpu = cpu_since(inside);

	hidden_stop(&inside->hidden);
	if (ret_account) {
		tally_read(&inside->tally, ret_account);
		ret_account->cpu_ns = cpu;
	}
	destroy(inside);
}

static int perf_probe(const struct inside_options *options, struct error *reterr)
{
	return perf_events_probe(options->period_ns, reterr);
}

/* With the lock nobody counts: what comes meanwhile waits in the rings, for the parent alone. */
static void perf_fork_prepare(struct inside *inside, struct inside_account *ret_account)
{
	(void)pthread_mutex_lock(&inside->lock);
	(void)drain_locked(inside);
	read_account(inside, ret_account);
}

static void perf_fork_parent(struct inside *inside)
{
	(void)pthread_mutex_unlock(&inside->lock);
}

static void perf_fork_child(struct inside *inside)
{
	hidden_forget(&inside->hidden);
	perf_events_forget(&inside->events);
	(void)pthread_mutex_unlock(&inside->lock);
	destroy(inside);
}

const struct inside_ops inside_perf = {
	.name = "perf",
	.probe = perf_probe,
	.start = perf_start,
	.account = perf_account,
	.stop = perf_stop,
	.fork_prepare = perf_fork_prepare,
	.fork_parent = perf_fork_parent,
	.fork_child = perf_fork_child,
};
