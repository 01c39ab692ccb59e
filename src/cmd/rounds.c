// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/rounds.h"

#include "base/array.h"
#include "cmd/apart.h"
#include "cmd/command.h"
#include "cmd/keep.h"
#include "cmd/signals.h"
#include "engine/clock.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* So long before it begins, a round is got ready: the kernel's programs are loaded and the unwind
 * tables read. */
#define AHEAD_NS (3 * SECOND_NS)

/* The file of a round is being written. */
#define FINISHING 4
static_assert(ROUNDS_FDS == 3 + FINISHING + 1 + FINISHING, "processes and channels");
#define POSTPONED_MS 200 /* the turn, where too many are */
#define LATE_MS 5	 /* how often to look where one is not as far as it should be */

struct rounds {
	struct rounds_options options;
	struct round now, next, finishing[FINISHING];
	uint64_t ends;	/* NOW, by the monotonic clock */
	int64_t second; /* when the last one begins, since the epoch: its name */
	uint64_t count; /* of those that have measured */
	struct apart thinning;
	bool is_to_thin;
	bool has_turned; /* a second one measures */
	bool is_over;	 /* what is measured has ended */
};

/* ---- one round ---- */

/* Begin ROUND, which waits for BEFORE's clocks to stop; NULL: at once. */
static int begin(struct rounds *rounds, struct round *round, const struct round *before,
		 int64_t second)
{
	const struct rounds_options *options = &rounds->options;
	char name[THIN_NAME_SIZE];

	/* The clock may have been put back. */
	if (second <= rounds->second)
		second = rounds->second + 1;
	for (thin_name(second, name); !access(name, F_OK); thin_name(second, name))
		second++;
	rounds->second = second;
	return round_begin(round, options->whom, options->name, second, before);
}

/* Hand on what has come of ROUND. */
static void take_news(const struct rounds *rounds, struct round *round)
{
	const struct rounds_options *options = &rounds->options;
	struct round_news news;

	while (round->number && !round->has_last && round_take(round, &news))
		options->take(options->context, round->number, &news);
}

/* Its exit status, when ROUND has ended; -1: it has not. */
static int status_of(const struct rounds *rounds, struct round *round)
{
	const struct rounds_options *options = &rounds->options;
	const struct round_news none = {
		-1, .is_last = true,
		.why = {"interval: it has ended without a profile: try again"}};
	bool has_ended;
	int status;

	if (!round->apart.pid)
		return -1;
	has_ended = apart_wait(&round->apart, /* ms= */ 0, /* watched= */ -1);
	take_news(rounds, round);
	if (!has_ended)
		return -1;
	if (round->number && !round->has_last)
		options->take(options->context, round->number, &none);
	status = round_end(round);
	return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_PROFIL;
}

/* NOW goes on to the end of the interval that it is in. */
static void set_end(struct rounds *rounds)
{
	int64_t every = (int64_t)rounds->options.every_ns, now = keep_now();

	rounds->ends = monotonic_ns() + (uint64_t)(every - now % every);
}

static uint64_t ahead(const struct rounds *rounds)
{
	uint64_t half = rounds->options.every_ns / 2;

	return AHEAD_NS < half ? AHEAD_NS : half;
}

/* ---- what is due ---- */

static int thin_apart(void *context, int stop)
{
	const struct rounds *rounds = context;

	(void)stop;
	return thin(&rounds->options.limits);
}

static void go_on_thinning(struct rounds *rounds)
{
	struct apart *thinning = &rounds->thinning;

	if (thinning->pid && apart_wait(thinning, /* ms= */ 0, /* watched= */ -1))
		(void)apart_end(thinning);
	if (thinning->pid || !rounds->is_to_thin)
		return;
	rounds->is_to_thin = false;
	(void)apart_begin(thinning, thin_apart, rounds);
}

/* Where to put a round whose file is being written; NULL: as many are already, for writing takes
 * longer than measuring. */
static struct round *free_place(struct rounds *rounds)
{
	for (size_t i = 0; i < FINISHING; i++)
		if (!rounds->finishing[i].apart.pid)
			return &rounds->finishing[i];
	return NULL;
}

static void go_to_next(struct rounds *rounds)
{
	rounds->now = rounds->next;
	rounds->next = (struct round){0};
	if (rounds->now.apart.pid)
		rounds->now.number = ++rounds->count;
}

/* NEXT takes the turn of NOW, whose time is over, as soon as it can. */
static void turn(struct rounds *rounds)
{
	struct round *place = free_place(rounds);

	if (!place)
		rounds->ends += POSTPONED_MS * UINT64_C(1000000);
	if (!place || !round_has_said(&rounds->next, MEASURE_READY))
		return;
	kill(rounds->now.apart.pid, SIGTERM);
	*place = rounds->now;
	go_to_next(rounds);
	rounds->has_turned = true;
}

static int begin_first(struct rounds *rounds)
{
	int ret;

	set_end(rounds);
	ret = begin(rounds, &rounds->now, /* before= */ NULL, keep_now() / (int64_t)SECOND_NS);
	if (!ret)
		rounds->now.number = ++rounds->count;
	return ret;
}

static int begin_next(struct rounds *rounds, uint64_t now)
{
	int64_t at = keep_now() + (int64_t)(rounds->ends - now) + (int64_t)SECOND_NS / 2;

	return begin(rounds, &rounds->next, &rounds->now, at / (int64_t)SECOND_NS);
}

/* NOW has ended by itself: what it measures has, or it has failed; NEXT begins all the same.
 * Returns 0, or the status of the first one, where there was no other. */
static int take_end(struct rounds *rounds, int status)
{
	if (status && !rounds->has_turned && !rounds->is_over)
		return status;
	rounds->is_to_thin = true;
	go_to_next(rounds);
	return 0;
}

/* What is measured has ended, and so does NOW. */
static void be_over(struct rounds *rounds)
{
	rounds->is_over = true;
	if (!rounds->next.apart.pid)
		return;
	(void)round_end(&rounds->next);
	rounds->next = (struct round){0};
}

static int do_due(struct rounds *rounds)
{
	bool has_begun = rounds->now.said == MEASURE_BEGUN;
	uint64_t now = monotonic_ns();

	if (rounds->is_over)
		return 0;
	if (!rounds->now.apart.pid)
		return now >= rounds->ends ? begin_first(rounds) : 0;
	if (!round_has_said(&rounds->now, MEASURE_BEGUN))
		return 0; /* the one before is being stopped */
	if (!has_begun)
		set_end(rounds);
	if (rounds->next.apart.pid && now >= rounds->ends)
		turn(rounds);
	else if (!rounds->next.apart.pid && now + ahead(rounds) >= rounds->ends)
		return begin_next(rounds, now);
	return 0;
}

int rounds_go_on(struct rounds *rounds)
{
	struct processes *processes = &rounds->options.whom->processes;
	int status = status_of(rounds, &rounds->now), ret;

	if (processes->count && !processes_left(processes))
		be_over(rounds);
	for (size_t i = 0; i < FINISHING; i++)
		rounds->is_to_thin |= status_of(rounds, &rounds->finishing[i]) >= 0;
	if (status >= 0 && (status = take_end(rounds, status)) > 0)
		return status;
	if (status_of(rounds, &rounds->next) >= 0) {
		rounds->next = (struct round){0};
		set_end(rounds); /* it has said why, and the one that runs goes on */
	}
	ret = do_due(rounds);
	if (ret) {
		(void)cmd_fail("no process to measure in: %s: free some memory", strerror(-ret));
		set_end(rounds);
	}
	go_on_thinning(rounds);
	return 0;
}

uint64_t rounds_ask(struct rounds *rounds)
{
	struct round *now = &rounds->now;

	if (!now->apart.pid)
		return 0;
	round_ask(now);
	return now->number;
}

bool rounds_are_over(const struct rounds *rounds)
{
	return rounds->is_over && !rounds->now.apart.pid;
}

unsigned rounds_wait_ms(const struct rounds *rounds)
{
	uint64_t now = monotonic_ns(), at = rounds->ends;

	if (rounds->is_over)
		return UINT_MAX;
	if (!rounds->next.apart.pid && rounds->now.apart.pid)
		at -= ahead(rounds);
	if (at <= now || (rounds->now.apart.pid && rounds->now.said != MEASURE_BEGUN))
		return LATE_MS;
	return (unsigned)((at - now) / 1000000 + 1);
}

/* All that happens without being due is that one of the processes ends, or hands something over. */
size_t rounds_wait(const struct rounds *rounds, struct pollfd *ret_fds)
{
	const struct apart *all[3 + FINISHING] = {&rounds->now.apart, &rounds->next.apart,
						  &rounds->thinning};
	const struct round *measured[1 + FINISHING] = {&rounds->now};
	size_t count = 0;

	for (size_t i = 0; i < FINISHING; i++) {
		measured[1 + i] = &rounds->finishing[i];
		all[3 + i] = &rounds->finishing[i].apart;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (all[i]->pid)
			ret_fds[count++] = (struct pollfd){.fd = all[i]->end, .events = POLLIN};
	for (size_t i = 0; i < ARRAY_LENGTH(measured); i++)
		if (measured[i]->apart.pid && !measured[i]->has_last)
			ret_fds[count++] =
				(struct pollfd){.fd = measured[i]->channel, .events = POLLIN};
	return count;
}

/* ---- from the beginning to the end ---- */

struct rounds *rounds_new(const struct rounds_options *options)
{
	struct rounds *rounds = calloc(1, sizeof(*rounds));

	if (rounds)
		rounds->options = *options;
	return rounds;
}

/* Wait for what APART does; a signal asks not to. */
static void wait_for(struct apart *apart, int signals)
{
	bool is_over = !apart->pid;

	while (!is_over)
		is_over = apart_wait(apart, /* ms= */ -1, signals) || signals_next_end(signals);
	if (apart->pid)
		(void)apart_end(apart);
}

void rounds_end(struct rounds *rounds, int signals)
{
	if (!rounds)
		return;
	/* First of all, for it begins when the one before it is over. */
	if (rounds->next.apart.pid)
		(void)apart_end(&rounds->next.apart);
	if (rounds->now.apart.pid)
		kill(rounds->now.apart.pid, SIGTERM);
	wait_for(&rounds->now.apart, signals);
	for (size_t i = 0; i < FINISHING; i++)
		wait_for(&rounds->finishing[i].apart, signals);
	if (rounds->thinning.pid)
		(void)apart_end(&rounds->thinning);
	free(rounds);
}
