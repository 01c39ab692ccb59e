// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/rounds.h"

#include "cmd/apart.h"
#include "cmd/command.h"
#include "cmd/keep.h"
#include "cmd/signals.h"
#include "engine/clock.h"

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
#define FINISHING (ROUNDS_FDS - 3)
#define POSTPONED_MS 200 /* the turn, where too many are */
#define LATE_MS 5	 /* how often to look where one is not as far as it should be */

struct round {
	struct apart apart;
	int over;  /* it says there how far it is: MEASURE_READY, ... */
	char said; /* the last of that, before it is told to stop; 0: nothing */
};

struct rounds {
	struct rounds_options options;
	struct round now, next, finishing[FINISHING];
	uint64_t ends;	/* NOW, by the monotonic clock */
	int64_t second; /* when the last one begins, since the epoch: its name */
	struct apart thinning;
	bool is_to_thin;
	bool has_turned; /* a second one measures */
	bool is_over;	 /* what is measured has ended */
};

/* ---- one round ---- */

struct job {
	const struct rounds *rounds;
	int64_t second;
	int begin, over;
};

static int measure(void *context, int stop)
{
	const struct job *job = context;
	struct whom *whom = job->rounds->options.whom;
	char name[THIN_NAME_SIZE];

	(void)stop; /* signals say it, as to every measurement */
	thin_name(job->second, name);
	whom->options.keeping.output = name;
	whom->options.begin = job->begin;
	whom->options.over = job->over;
	return whom_measure(whom, job->rounds->options.name, (char *[]){NULL});
}

/* Begin ROUND, which waits for BEFORE's clocks to stop; NULL: at once. */
static int begin(struct rounds *rounds, struct round *round, const struct round *before,
		 int64_t second)
{
	struct job job = {rounds, second, .begin = before ? before->over : 0};
	char name[THIN_NAME_SIZE];
	int ends[2], ret;

	/* The clock may have been put back. */
	if (job.second <= rounds->second)
		job.second = rounds->second + 1;
	for (thin_name(job.second, name); !access(name, F_OK); thin_name(job.second, name))
		job.second++;
	rounds->second = job.second;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	job.over = ends[1];
	ret = apart_begin(&round->apart, measure, &job);
	close(ends[1]);
	if (ret)
		close(ends[0]);
	else
		round->over = ends[0];
	round->said = 0;
	return ret;
}

/* Its exit status, when ROUND has ended; -1: it has not. */
static int status_of(struct round *round)
{
	int status;

	if (!round->apart.pid || !apart_wait(&round->apart, /* ms= */ 0, /* watched= */ -1))
		return -1;
	status = apart_end(&round->apart);
	close(round->over);
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

/* Whether ROUND is as far as WHAT.  What it says afterwards is for the one that waits for it. */
static bool has_said(struct round *round, char what)
{
	struct pollfd says = {.fd = round->over, .events = POLLIN};

	while (round->said != what && poll(&says, 1, 0) > 0 &&
	       read(round->over, &round->said, 1) == 1)
		;
	return round->said == what;
}

/* NEXT takes the turn of NOW, whose time is over, as soon as it can. */
static void turn(struct rounds *rounds)
{
	struct round *place = free_place(rounds);

	if (!place)
		rounds->ends += POSTPONED_MS * UINT64_C(1000000);
	if (!place || !has_said(&rounds->next, MEASURE_READY))
		return;
	kill(rounds->now.apart.pid, SIGTERM);
	*place = rounds->now;
	rounds->now = rounds->next;
	rounds->next = (struct round){0};
	rounds->has_turned = true;
}

static int begin_first(struct rounds *rounds)
{
	set_end(rounds);
	return begin(rounds, &rounds->now, /* before= */ NULL, keep_now() / (int64_t)SECOND_NS);
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
	rounds->now = rounds->next;
	rounds->next = (struct round){0};
	return 0;
}

/* What is measured has ended, and so does NOW. */
static void be_over(struct rounds *rounds)
{
	rounds->is_over = true;
	if (!rounds->next.apart.pid)
		return;
	(void)apart_end(&rounds->next.apart);
	close(rounds->next.over);
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
	if (!has_said(&rounds->now, MEASURE_BEGUN))
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
	int status = status_of(&rounds->now), ret;

	if (processes->count && !processes_left(processes))
		be_over(rounds);
	for (size_t i = 0; i < FINISHING; i++)
		rounds->is_to_thin |= status_of(&rounds->finishing[i]) >= 0;
	if (status >= 0 && (status = take_end(rounds, status)) > 0)
		return status;
	if (status_of(&rounds->next) >= 0) {
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

/* All that happens without being due is that one of the processes ends. */
size_t rounds_wait(const struct rounds *rounds, struct pollfd *ret_fds)
{
	const struct apart *all[ROUNDS_FDS] = {&rounds->now.apart, &rounds->next.apart,
					       &rounds->thinning};
	size_t count = 0;

	for (size_t i = 0; i < FINISHING; i++)
		all[3 + i] = &rounds->finishing[i].apart;
	for (size_t i = 0; i < ROUNDS_FDS; i++)
		if (all[i]->pid)
			ret_fds[count++] = (struct pollfd){.fd = all[i]->end, .events = POLLIN};
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
