// SPDX-License-Identifier: BSD-2-Clause
/* Amounts out of the account of all time: waits by reason and context, lives by whose they were. */
#include "engine/kernel/wall_read.h"

#include "base/array.h"
#include "engine/kernel/private.h"
#include "engine/kernel/wall_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct putting {
	struct wall *wall;
	struct contexts *contexts;
	struct histogram *histogram;
	uint32_t reasons[KERNEL_WALL_REASONS]; /* their functions' indices and 1 */
	uint32_t on_cpu, unseen, missed, threads, full;
};

/* ---- places ---- */

static int find_reason(struct putting *putting, uint32_t reason, uint32_t *ret_index)
{
	uint32_t *known = &putting->reasons[reason % KERNEL_WALL_REASONS];
	char name[KERNEL_WALL_NAME_MAX];
	int ret;

	if (!*known) {
		kernel_wall_name(reason, name, sizeof(name));
		ret = histogram_add_function(putting->histogram, name, /* line= */ 0, known);
		if (ret)
			return ret;
		++*known;
	}
	*ret_index = *known - 1;
	return 0;
}

/* ---- waits ---- */

static int add_wait(struct wall *wall, const struct kernel_wait_key *key,
		    const struct kernel_wait *wait)
{
	if (ARRAY_RESERVE(wall->waits, wall->wait_capacity, wall->wait_count + 1))
		return -ENOMEM;
	wall->waits[wall->wait_count++] = (struct wall_wait){*key, *wait};
	return 0;
}

static int compare_waits(const void *a, const void *b)
{
	const struct kernel_wait_key *x = &((const struct wall_wait *)a)->key;
	const struct kernel_wait_key *y = &((const struct wall_wait *)b)->key;

	ARRAY_COMPARE(x->task, y->task);
	ARRAY_COMPARE(x->kind, y->kind);
	ARRAY_COMPARE(x->reason, y->reason);
	ARRAY_COMPARE(x->context, y->context);
	ARRAY_COMPARE(x->end, y->end);
	return 0;
}

static bool is_alike(const struct kernel_wait_key *a, const struct kernel_wait_key *b)
{
	return a->task == b->task && a->kind == b->kind && a->reason == b->reason;
}

static uint64_t share(uint64_t whole, uint64_t part, uint64_t parts)
{
	return parts ? (uint64_t)((unsigned __int128)whole * part / parts) : 0;
}

/* WAIT is a part of WHOLE, or is it. */
static struct kernel_wait *take_in(struct kernel_wait *whole, struct kernel_wait *wait)
{
	if (!whole)
		return wait;
	whole->ns += wait->ns;
	whole->count += wait->count;
	wait->ns = wait->count = 0;
	return whole;
}

/* Waits of one thread for one reason.  Those that were not walked are, by their number and time,
 * exactly as those that were walked in their place say that they are. */
static void spread(struct wall_wait *waits, size_t count, uint64_t *sampled_ns)
{
	struct kernel_wait rest = {0}, *whole = NULL, given = {0};
	struct wall_wait *largest = NULL;

	for (size_t i = 0; i < count; i++) {
		if (waits[i].key.end == KERNEL_STACK_NOT_SAMPLED)
			whole = take_in(whole, &waits[i].wait);
		rest.rest_ns += waits[i].wait.rest_ns;
		rest.rest_count += waits[i].wait.rest_count;
		if (!largest || waits[i].wait.rest_ns > largest->wait.rest_ns)
			largest = &waits[i];
	}
	if (!whole || !rest.rest_ns)
		return;
	for (size_t i = 0; i < count; i++) {
		struct kernel_wait *wait = &waits[i].wait;
		uint64_t ns = share(whole->ns, wait->rest_ns, rest.rest_ns);
		uint64_t more = share(whole->count, wait->rest_count, rest.rest_count);

		wait->ns += wait == whole ? 0 : ns;
		wait->count += wait == whole ? 0 : more;
		given.ns += ns;
		given.count += more;
	}
	largest->wait.ns += whole->ns - given.ns;
	largest->wait.count += whole->count - given.count;
	if (waits->key.kind == KERNEL_WAIT_BLOCKED)
		*sampled_ns += whole->ns;
	whole->ns = whole->count = 0;
}

/* Those whose site was walked another time. */
static void take_alike(struct wall_wait *wait, uint64_t *sampled_ns)
{
	wait->wait.ns += wait->wait.alike_ns;
	wait->wait.count += wait->wait.alike_count;
	if (wait->key.kind == KERNEL_WAIT_BLOCKED)
		*sampled_ns += wait->wait.alike_ns;
}

static void spread_all(struct wall *wall, uint64_t *sampled_ns)
{
	struct wall_wait *waits = wall->waits;
	size_t end;

	for (size_t i = 0; i < wall->wait_count; i++)
		take_alike(&waits[i], sampled_ns);
	ARRAY_SORT(waits, wall->wait_count, compare_waits);
	for (size_t i = 0; i < wall->wait_count; i = end) {
		for (end = i + 1; end < wall->wait_count; end++)
			if (!is_alike(&waits[i].key, &waits[end].key))
				break;
		spread(&waits[i], end - i, sampled_ns);
	}
}

static int place(struct putting *putting, const struct kernel_wait_key *key,
		 struct histogram_cell *ret_cell)
{
	*ret_cell = (struct histogram_cell){
		.space = CELL_WAITING,
		.task = key->task,
		.stack_end = key->end == WALL_LONG ? STACK_NOT_SAMPLED : (enum stack_end)key->end,
	};
	kernel_context_put(putting->contexts, key->context, ret_cell);
	return find_reason(putting, key->reason, &ret_cell->file);
}

static int put_waits(struct putting *putting)
{
	static const enum histogram_value values[][2] = {
		[KERNEL_WAIT_QUEUED] = {VALUE_RUNQUEUE, VALUE_TIMES_QUEUED},
		[KERNEL_WAIT_BLOCKED] = {VALUE_BLOCKED, VALUE_TIMES_BLOCKED},
		[KERNEL_WAIT_WAKER] = {VALUE_WOKEN, VALUE_TIMES_WOKEN},
	};
	struct wall *wall = putting->wall;
	int ret = 0;

	spread_all(wall, &putting->histogram->wall[WALL_SAMPLED_NS]);
	for (size_t i = 0; i < wall->wait_count && !ret; i++) {
		const struct kernel_wait_key *key = &wall->waits[i].key;
		const struct kernel_wait *wait = &wall->waits[i].wait;
		struct histogram_cell cell;

		ret = place(putting, key, &cell);
		if (!ret)
			ret = histogram_add_amount(putting->histogram, &cell, values[key->kind][0],
						   wait->ns);
		if (!ret)
			ret = histogram_add_amount(putting->histogram, &cell, values[key->kind][1],
						   wait->count);
	}
	return ret;
}

/* ---- lives ---- */

static int put_sums(struct putting *putting, uint32_t task, const struct kernel_wall_sums *sums)
{
	const struct {
		uint32_t function;
		enum histogram_value value;
		uint64_t ns;
	} each[] = {
		{putting->on_cpu, VALUE_RUNNING, sums->running - sums->unseen},
		{putting->unseen, VALUE_RUNNING, sums->unseen},
		{putting->missed, VALUE_UNACCOUNTED, sums->unaccounted},
		{putting->threads, VALUE_LIFETIME, sums->lifetime},
	};
	int ret = 0;

	putting->histogram->wall[WALL_THREADS] += sums->threads;
	for (size_t i = 0; i < ARRAY_LENGTH(each) && !ret; i++) {
		struct histogram_cell cell = {
			.space = CELL_LIVES, .file = each[i].function, .task = task};

		ret = histogram_add_amount(putting->histogram, &cell, each[i].value, each[i].ns);
	}
	return ret;
}

static void note_residue(struct histogram *histogram, int64_t residue, uint64_t lifetime)
{
	uint64_t size = (uint64_t)(residue < 0 ? -residue : residue);

	histogram->wall[residue < 0 ? WALL_OVER_NS : WALL_UNDER_NS] += size;
	histogram->wall[WALL_OUTSIDE] += (uint64_t)kernel_life_is_outside(size, lifetime);
}

/* LIFE waits for NS, or did when it was woken, which is not in its account yet. */
static int put_open_wait(struct putting *putting, const struct kernel_life *life, uint64_t ns,
			 bool is_over)
{
	bool blocked = life->state == KERNEL_WALL_BLOCKED;
	struct kernel_wait_key key = {
		.context = life->walked ? life->context : 0,
		.task = life->task,
		.reason = life->reason,
		.kind = blocked,
		.end = life->end,
	};
	struct histogram_cell cell;
	int ret = add_wait(putting->wall, &key, &(struct kernel_wait){.ns = ns, .count = 1});

	if (ret || !blocked || is_over)
		return ret;
	putting->histogram->wall[WALL_STILL_BLOCKED]++;
	ret = place(putting, &key, &cell);
	return ret ? ret : histogram_add_amount(putting->histogram, &cell, VALUE_STILL_BLOCKED, ns);
}

static int put_recent(struct putting *putting, const struct kernel_life *life, bool blocked)
{
	int ret = 0;

	for (size_t i = 0; i < WALL_RECENT && !ret; i++) {
		const struct kernel_recent_wait *recent = &life->recent[blocked][i];
		bool known = recent->known == KERNEL_SITE_KNOWN;
		const struct kernel_wait_key key = {
			.context = known ? recent->context : 0,
			.task = life->task,
			.reason = recent->reason,
			.kind = blocked,
			.end = recent->end,
		};
		struct kernel_wait wait = {.ns = recent->ns, .count = recent->count};

		if (known)
			wait = (struct kernel_wait){.alike_ns = recent->ns,
						    .alike_count = recent->count};
		if (recent->count)
			ret = add_wait(putting->wall, &key, &wait);
	}
	return ret;
}

/* It was woken, and is in the queue since then. */
static int put_woken(struct putting *putting, struct kernel_life *life, uint64_t woken)
{
	uint64_t waited = woken - life->since;
	int ret = put_open_wait(putting, life, waited, /* is_over= */ true);

	life->blocked += waited;
	life->since = woken;
	life->state = KERNEL_WALL_QUEUED;
	life->reason = KERNEL_WALL_WOKEN;
	return ret;
}

/* A thread that lives: it is as if its life ended now. */
static int put_left(struct putting *putting, const struct kernel_life_left *left)
{
	struct kernel_life life = left->life;
	uint64_t closed = putting->wall->closed_ns;
	uint64_t end = closed > life.since ? closed : life.since, open = end - life.since;
	struct kernel_wall_sums sums;
	int64_t residue;
	int ret = put_recent(putting, &life, /* blocked= */ false);

	if (!ret)
		ret = put_recent(putting, &life, /* blocked= */ true);
	if (!ret && left->woken > life.since && left->woken < end) {
		ret = put_woken(putting, &life, left->woken);
		open = end - life.since;
	}
	if (life.state == KERNEL_WALL_RUNNING) {
		life.running += open;
	} else if (!ret) {
		*(life.state == KERNEL_WALL_BLOCKED ? &life.blocked : &life.queued) += open;
		ret = put_open_wait(putting, &life, open, /* is_over= */ false);
	}
	/* Of one that runs the CPU time is known as of the kernel's last tick: all of it was. */
	residue = kernel_life_sum(
		&life, end, life.state == KERNEL_WALL_RUNNING ? life.runtime + open : left->runtime,
		&sums);
	note_residue(putting->histogram, residue, sums.lifetime);
	return ret ? ret : put_sums(putting, life.task, &sums);
}

static int put_lives(struct putting *putting)
{
	struct wall *wall = putting->wall;
	int ret = 0;

	for (uint32_t i = 0; i < wall->ended_count && !ret; i++)
		ret = put_sums(putting, wall->tasks[i], &wall->ended[i]);
	for (size_t i = 0; i < wall->left_count && !ret; i++)
		ret = put_left(putting, &wall->left[i]);
	return ret;
}

/* ---- the clock on the wall ---- */

static int put_elapsed(struct putting *putting)
{
	struct wall *wall = putting->wall;
	uint64_t count = wall->all.now >> WALL_SINCE_BITS;
	uint64_t since = wall->base_ns + (wall->all.now & ((1ull << WALL_SINCE_BITS) - 1));
	int ret = 0;

	/* When all that was started has ended, the account has, too. */
	if (wall->base_ns && wall->closed_ns > since && (wall->left_count || !wall->is_started))
		wall->all.elapsed[count % KERNEL_WALL_CPUS] += wall->closed_ns - since;
	for (uint32_t i = 0; i < KERNEL_WALL_CPUS && !ret; i++)
		ret = histogram_add_elapsed(putting->histogram, i, wall->all.elapsed[i]);
	return ret;
}

static int name_places(struct putting *putting)
{
	const struct {
		const char *name;
		uint32_t *index;
	} each[] = {
		{"on CPU", &putting->on_cpu},	    {"interrupts and host", &putting->unseen},
		{"missed event", &putting->missed}, {"threads", &putting->threads},
		{"cells full", &putting->full},
	};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(each) && !ret; i++)
		ret = histogram_add_function(putting->histogram, each[i].name, /* line= */ 0,
					     each[i].index);
	return ret;
}

int kernel_wall_put(struct wall *wall, struct contexts *contexts, struct histogram *histogram)
{
	struct putting putting = {.wall = wall, .contexts = contexts, .histogram = histogram};
	int ret = name_places(&putting);

	for (size_t i = 0; i < KERNEL_WALL_FACTS; i++)
		histogram->wall[i] += wall->all.facts[i];
	histogram->wall[WALL_FULL_NS] += wall->full_ns;
	if (!ret)
		ret = put_lives(&putting);
	if (!ret)
		ret = put_waits(&putting);
	if (!ret)
		ret = put_elapsed(&putting);
	return ret ? ret
		   : histogram_add_amount(
			     histogram,
			     &(struct histogram_cell){.space = CELL_LIVES, .file = putting.full},
			     VALUE_WALL,
			     kernel_wall_share_ns(wall->all.shares_full, wall->period_ns));
}
