// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/counting.h"

#include "base/at_fork.h"

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

/* Every measurement that is on stays on in both after fork(2), as on every system that had
 * profil(): the child counts into its own copy of the cells, with what they held.  vfork(2) and
 * posix_spawn(3) are not forks in this sense, and execve(2) ends everything by itself. */

/* Before a fork: AT_FORK becomes the account of just what the child will find in its cells. */
static void freeze(struct counting *counting)
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

/* In the child of a fork: what is the parent's is left to it, and a new one goes on from AT_FORK.
 * When no engine can, it is off. */
static void revive(struct counting *counting)
{
	__atomic_store_n(&home, getpid(), __ATOMIC_SEQ_CST);
	counting->ops->fork_child(counting->inside);
	counting->inside = NULL;
	counting->before = counting->at_fork;
	if (!lives_on(counting) ||
	    inside_go_on(&counting->options, counting->only, &counting->ops, &counting->inside))
		list_remove(counting);
}

/* What each measurement has counted when the child begins: the child's cells hold it, so its
 * account must hold it too. */
static void prepare(void)
{
	int code = errno;

	counting_lock();
	for (struct counting *each = all; each; each = each->next)
		freeze(each);
	errno = code;
}

static void in_parent(void)
{
	int code = errno;

	for (struct counting *each = all; each; each = each->next)
		each->ops->fork_parent(each->inside);
	counting_unlock();
	errno = code;
}

static void in_child(void)
{
	int code = errno;
	struct counting *next;

	for (struct counting *each = all; each; each = next) {
		next = each->next;
		revive(each);
	}
	counting_unlock();
	errno = code;
}

/* Once is enough.  Returns 0 or -ENOMEM. */
static int watch_forks(void)
{
	static bool watches;
	int ret;

	if (watches)
		return 0;
	ret = at_fork(prepare, in_parent, in_child);
	watches = !ret;
	return -ret;
}

int counting_start(struct counting *counting, const struct inside_options *options,
		   const char *engine, struct error *why)
{
	int ret;

	if (counting->inside)
		return -EALREADY;
	ret = watch_forks();
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
