// SPDX-License-Identifier: BSD-2-Clause
#include "engine/lives.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- how many are on CPUs at once ---- */

static uint64_t between(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

/* So many MORE are on CPUs from NOW on. */
static void count_at_once(struct lives *lives, int more, uint64_t now)
{
	uint32_t most = LIVES_AT_ONCE - 1;

	if (lives->elapsed_since)
		lives->elapsed[lives->at_once < most ? lives->at_once : most] +=
			between(lives->elapsed_since, now);
	lives->at_once += (uint32_t)more;
	if (now > lives->elapsed_since)
		lives->elapsed_since = now;
}

/* ---- who lives ---- */

static size_t place_of(const struct lives *lives, uint32_t tid)
{
	return ARRAY_FIRST_NOT(i, lives->count, lives->all[i].tid < tid);
}

struct life *lives_find(const struct lives *lives, uint32_t tid)
{
	size_t at = place_of(lives, tid);

	return at < lives->count && lives->all[at].tid == tid ? &lives->all[at] : NULL;
}

struct life *lives_begin(struct lives *lives, uint32_t pid, uint32_t tid, enum life_state state,
			 uint64_t now)
{
	size_t at = place_of(lives, tid);
	struct life *life;

	if (ARRAY_RESERVE(lives->all, lives->capacity, lives->count + 1)) {
		lives->facts[WALL_NOT_FOLLOWED]++;
		return NULL;
	}
	life = &lives->all[at];
	memmove(life + 1, life, (lives->count++ - at) * sizeof(*life));
	*life = (struct life){
		.pid = pid,
		.tid = tid,
		.state = state,
		.began = now,
		.since = now,
		.lost = lives->lost,
	};
	if (state != LIFE_UNKNOWN && state != LIFE_SEEN)
		count_at_once(lives, state == LIFE_RUNNING, now);
	return life;
}

static void take_out(struct lives *lives, struct life *life)
{
	size_t behind = lives->count - (size_t)(life - lives->all) - 1;

	memmove(life, life + 1, behind * sizeof(*life));
	lives->count--;
}

void lives_execute(struct lives *lives, uint32_t pid)
{
	struct life left;

	if (lives_find(lives, pid))
		return;
	for (size_t i = 0; i < lives->count; i++) {
		struct life *life;

		if (lives->all[i].pid != pid)
			continue;
		left = lives->all[i];
		take_out(lives, &lives->all[i]);
		life = lives_begin(lives, pid, pid, LIFE_UNKNOWN, left.since);
		left.tid = pid;
		if (life)
			*life = left;
		return;
	}
}

/* ---- from state to state ---- */

/* What LIFE did from its last move on, now that it goes to STATE.  One that is met in the middle of
 * its life, and then comes to a CPU that it seemed to be on, stood in the queue. */
static enum life_state did(struct lives *lives, const struct life *life, enum life_state state)
{
	bool leaves = state != LIFE_RUNNING, ran = life->state == LIFE_RUNNING;

	if (life->lost != lives->lost)
		return LIFE_MISSED;
	if (leaves == ran)
		return life->state;
	if (life->seeded) {
		lives->facts[WALL_SEEDED]++;
		return ran ? LIFE_PREEMPTED : LIFE_MISSED;
	}
	lives->facts[leaves ? WALL_MISSED_IN : WALL_MISSED_OUT]++;
	return LIFE_MISSED;
}

void lives_move(struct lives *lives, struct life *life, enum life_state state, uint64_t now)
{
	bool ran = life->state == LIFE_RUNNING, runs = state == LIFE_RUNNING;

	if (life->state == LIFE_UNKNOWN)
		life->began = life->since = now;
	else
		life->spent.ns[did(lives, life, state)] += between(life->since, now);
	if (now > life->since)
		life->since = now;
	life->lost = lives->lost;
	life->seeded = false;
	life->state = state;
	life->spent.times[state]++;
	if (ran != runs || !lives->elapsed_since)
		count_at_once(lives, runs - ran, now);
}

/* ---- sums ---- */

static int compare_sums(const struct life_sum *a, const struct life_sum *b)
{
	ARRAY_COMPARE(a->pid, b->pid);
	ARRAY_COMPARE(a->tid, b->tid);
	return 0;
}

static struct life_sum *sum_of(struct lives *lives, const struct life *life)
{
	const struct life_sum key = {
		.pid = lives->by_process || lives->by_thread ? life->pid : 0,
		.tid = lives->by_thread ? life->tid : 0,
	};
	size_t at = ARRAY_FIRST_NOT(i, lives->sum_count, compare_sums(&lives->sums[i], &key) < 0);

	if (at < lives->sum_count && !compare_sums(&lives->sums[at], &key))
		return &lives->sums[at];
	if (ARRAY_RESERVE(lives->sums, lives->sum_capacity, lives->sum_count + 1))
		return NULL;
	memmove(&lives->sums[at + 1], &lives->sums[at],
		(lives->sum_count++ - at) * sizeof(*lives->sums));
	lives->sums[at] = key;
	return &lives->sums[at];
}

/* The time up to NOW is in LIFE's sums. */
static void end(struct lives *lives, const struct life *life)
{
	struct life_sum *sum = sum_of(lives, life);

	if (!sum) {
		lives->facts[WALL_NOT_FOLLOWED]++;
		return;
	}
	sum->threads++;
	sum->lifetime += life->since - life->began;
	for (int i = 0; i < LIFE_STATES; i++) {
		sum->spent.ns[i] += life->spent.ns[i];
		sum->spent.times[i] += life->spent.times[i];
	}
	memcpy(sum->name, life->name, sizeof(sum->name));
}

/* Who ends does so on a CPU. */
void lives_end(struct lives *lives, struct life *life, uint64_t now)
{
	if (life->state != LIFE_UNKNOWN && life->state != LIFE_SEEN) {
		lives_move(lives, life, LIFE_AWAY, now);
		life->spent.times[LIFE_AWAY]--;
	}
	if (life->state != LIFE_UNKNOWN)
		end(lives, life);
	take_out(lives, life);
}

/* ---- the account ---- */

static const struct {
	const char *name;
	enum cell_space space;
	enum histogram_value value, times;
} rows[LIFE_STATES] = {
	[LIFE_NEW] = {"new", CELL_WAITING, VALUE_RUNQUEUE, VALUE_TIMES_QUEUED},
	[LIFE_RUNNING] = {"on CPU", CELL_LIVES, VALUE_RUNNING, HISTOGRAM_VALUES},
	[LIFE_PREEMPTED] = {"preempted", CELL_WAITING, VALUE_RUNQUEUE, VALUE_TIMES_QUEUED},
	[LIFE_AWAY] = {"blocked, or woken and waiting for a CPU", CELL_LIVES, VALUE_UNACCOUNTED,
		       HISTOGRAM_VALUES},
	[LIFE_QUEUED] = {"any reason", CELL_WAITING, VALUE_RUNQUEUE, HISTOGRAM_VALUES},
	[LIFE_BLOCKED] = {"any reason", CELL_WAITING, VALUE_BLOCKED, HISTOGRAM_VALUES},
	[LIFE_MISSED] = {"missed event", CELL_LIVES, VALUE_UNACCOUNTED, HISTOGRAM_VALUES},
};

static int find_task(struct histogram *histogram, const struct life_sum *sum, uint32_t *ret_task)
{
	*ret_task = HISTOGRAM_NO_TASK;
	if (!sum->pid)
		return 0;
	for (size_t i = 0; i < histogram->task_count; i++) {
		const struct histogram_task *task = &histogram->tasks[i];

		*ret_task = (uint32_t)i;
		if (task->pid == sum->pid && task->tid == sum->tid && !task->exec)
			return 0;
	}
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, histogram->task_count + 1))
		return -ENOMEM;
	*ret_task = (uint32_t)histogram->task_count;
	histogram->tasks[histogram->task_count] =
		(struct histogram_task){.pid = sum->pid, .tid = sum->tid};
	memcpy(histogram->tasks[histogram->task_count++].name, sum->name, sizeof(sum->name));
	return 0;
}

static int put_sum(struct histogram *histogram, const struct life_sum *sum,
		   const uint32_t *functions)
{
	struct histogram_cell cell = {.space = CELL_LIVES, .file = functions[LIFE_UNKNOWN]};
	int ret = find_task(histogram, sum, &cell.task);

	histogram->wall[WALL_THREADS] += sum->threads;
	if (!ret)
		ret = histogram_add_amount(histogram, &cell, VALUE_LIFETIME, sum->lifetime);
	for (int i = LIFE_NEW; i < LIFE_STATES && !ret; i++) {
		if (!rows[i].name)
			continue;
		cell.space = rows[i].space;
		cell.file = functions[i];
		ret = histogram_add_amount(histogram, &cell, rows[i].value, sum->spent.ns[i]);
		if (!ret && rows[i].times != HISTOGRAM_VALUES)
			ret = histogram_add_amount(histogram, &cell, rows[i].times,
						   sum->spent.times[i]);
	}
	return ret;
}

/* Those who live do what they do up to NOW; ENDED is a copy, without their list. */
static void end_all(const struct lives *lives, uint64_t now, struct lives *ended)
{
	for (size_t i = 0; i < lives->count; i++) {
		struct life life = lives->all[i];

		if (life.state == LIFE_UNKNOWN)
			continue;
		if (life.state != LIFE_SEEN) {
			life.spent.ns[life.state] += between(life.since, now);
			life.since += between(life.since, now);
		}
		end(ended, &life);
	}
	if (lives->count && lives->all->state != LIFE_SEEN)
		count_at_once(ended, 0, now);
}

static int put(const struct lives *ended, struct histogram *histogram)
{
	uint32_t functions[LIFE_STATES];
	int ret = histogram_add_function(histogram, "threads", 0, &functions[LIFE_UNKNOWN]);

	for (int i = LIFE_NEW; i < LIFE_STATES && !ret; i++)
		ret = !rows[i].name
			      ? 0
			      : histogram_add_function(histogram, rows[i].name, 0, &functions[i]);
	for (size_t i = 0; i < ended->sum_count && !ret; i++)
		ret = put_sum(histogram, &ended->sums[i], functions);
	for (uint32_t i = 0; i < LIVES_AT_ONCE && !ret; i++)
		ret = histogram_add_elapsed(histogram, i, ended->elapsed[i]);
	for (int i = 0; i < WALL_FACTS; i++)
		histogram->wall[i] += ended->facts[i];
	return ret;
}

int lives_read(const struct lives *lives, uint64_t now, struct histogram *histogram)
{
	struct lives *ended;
	int ret = -ENOMEM;

	if (!lives->is_on)
		return 0;
	ended = malloc(sizeof(*ended));
	if (!ended)
		return -ENOMEM;
	*ended = *lives;
	ended->sum_capacity = 0;
	ended->sums = NULL;
	if (!ARRAY_RESERVE(ended->sums, ended->sum_capacity, lives->sum_count + 1)) {
		if (lives->sum_count)
			memcpy(ended->sums, lives->sums, lives->sum_count * sizeof(*lives->sums));
		end_all(lives, now, ended);
		ret = put(ended, histogram);
	}
	free(ended->sums);
	free(ended);
	return ret;
}

void lives_done(struct lives *lives)
{
	free(lives->all);
	free(lives->sums);
	*lives = (struct lives){0};
}
