// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/counting.h"

#include "libprofil/fork.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct counting *all;
static pid_t home; /* atomic; the process that the two above are of; 0: none yet */

/* A child that was made behind fork's back (_Fork, clone), or while another thread was about to
 * watch for forks for the first time: whoever held the lock is not here, nor is what counts.  What
 * that had in memory is left to lie. */
static void settle(pid_t here)
{
	pid_t before = __atomic_exchange_n(&home, here, __ATOMIC_SEQ_CST);

	if (!before || before == here)
		return;
	mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	for (; all; all = all->next)
		all->inside = NULL;
}

void counting_lock(void)
{
	pid_t here = getpid();

	if (__atomic_load_n(&home, __ATOMIC_SEQ_CST) != here)
		settle(here);
	(void)pthread_mutex_lock(&mutex);
}

void counting_unlock(void)
{
	(void)pthread_mutex_unlock(&mutex);
}

struct counting *counting_list(void)
{
	return all;
}

static void list_add(struct counting *counting)
{
	counting->next = all;
	all = counting;
}

static void list_remove(struct counting *counting)
{
	struct counting **link = &all;

	while (*link && *link != counting)
		link = &(*link)->next;
	if (*link)
		*link = counting->next;
}

int counting_start(struct counting *counting, const struct inside_options *options,
		   const char *engine, struct error *why)
{
	int ret;

	if (counting->inside)
		return -EALREADY;
	ret = fork_watch();
	if (ret)
		return ret;
	counting->options = *options;
	counting->owner = pthread_self();
	ret = inside_start(options, engine, &counting->ops, &counting->inside, why);
	if (ret)
		return ret;
	counting->only = engine ? counting->ops->name : NULL;
	list_add(counting);
	return 0;
}

static void add_up(struct inside_account *sum, const struct inside_account *more)
{
	sum->ticks += more->ticks;
	sum->counted += more->counted;
	sum->outside += more->outside;
	sum->saturated += more->saturated;
	sum->lost += more->lost;
	sum->cpu_ns += more->cpu_ns;
	sum->ended |= more->ended;
}

void counting_stop(struct counting *counting)
{
	struct inside_account last = {};

	if (!counting->inside)
		return;
	counting->ops->stop(counting->inside, &last);
	counting->inside = NULL;
	add_up(&counting->before, &last);
	list_remove(counting);
}

/* What is due by CPU time and is not among the ticks: the rest of threads' lives, the kernel's time
 * where perf may not see it, and of the last moments what is yet to come.  Of a measurement that
 * has ended by itself nobody knows when, and none are due. */
static uint64_t unseen(const struct inside_account *account, uint64_t period_ns)
{
	uint64_t due = account->cpu_ns ? account->cpu_ns / period_ns : 0;

	return !account->ended && due > account->ticks ? due - account->ticks : 0;
}

int counting_account(struct counting *counting, struct inside_account *ret_account)
{
	struct inside_account now = {};
	int ret = 0;

	if (counting->inside)
		ret = counting->ops->account(counting->inside, &now);
	if (ret)
		return ret;
	*ret_account = counting->before;
	add_up(ret_account, &now);
	ret_account->unseen = unseen(ret_account, counting->options.period_ns);
	return 0;
}

void counting_freeze(struct counting *counting)
{
	struct inside_account now = {};

	counting->ops->fork_prepare(counting->inside, &now);
	counting->at_fork = counting->before;
	add_up(&counting->at_fork, &now);
}

/* One thread that is measured alone has no child unless it was itself that forked.  What has ended
 * by itself, for a cell was full or is no memory any more, has ended for children too. */
static bool lives_on(const struct counting *counting)
{
	if (counting->at_fork.ended)
		return false;
	return !counting->options.this_thread || pthread_equal(counting->owner, pthread_self());
}

void counting_revive(struct counting *counting)
{
	__atomic_store_n(&home, getpid(), __ATOMIC_SEQ_CST);
	counting->ops->fork_child(counting->inside);
	counting->inside = NULL;
	counting->before = counting->at_fork;
	if (!lives_on(counting) ||
	    inside_go_on(&counting->options, counting->only, &counting->ops, &counting->inside))
		list_remove(counting);
}
