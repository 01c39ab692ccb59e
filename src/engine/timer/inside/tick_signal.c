// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/tick_signal.h"

#include "engine/timer/inside/handler.h"
#include "engine/inside/signals.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/* Recursive, for a fork holds it once for each measurement. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static unsigned users;
static int installed; /* atomic; the signal while there are users, else 0 */

int tick_signal_number(void)
{
	return __atomic_load_n(&installed, __ATOMIC_RELAXED);
}

static int install(void)
{
	struct sigaction action = {.sa_sigaction = handler_run,
				   .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
	int number = signal_for_ticks();

	if (number < 0)
		return number;
	sigfillset(&action.sa_mask);
	if (sigaction(number, &action, NULL))
		return -errno;
	__atomic_store_n(&installed, number, __ATOMIC_RELAXED);
	return 0;
}

static bool is_ours(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handler_run;
}

/* Before Linux 6.13 a signal outlives its timer while a thread blocks it; SIG_IGN throws away what
 * is pending, on every thread, that SIG_DFL would let kill the program.  A handler that the program
 * has put there since stays. */
static void uninstall(void)
{
	struct sigaction ignored = {.sa_handler = SIG_IGN}, normal = {.sa_handler = SIG_DFL};
	struct sigaction now;
	int number = installed;

	__atomic_store_n(&installed, 0, __ATOMIC_RELAXED);
	if (sigaction(number, NULL, &now) || !is_ours(&now))
		return;
	(void)sigaction(number, &ignored, NULL);
	(void)sigaction(number, &normal, NULL);
}

_Static_assert((HANDLER_MARK | HANDLER_LINE_MASK) <= UINTPTR_MAX,
	       "a signal's value holds a whole cookie");
_Static_assert(LEDGER_LINES <= (HANDLER_LINE_MASK >> HANDLER_LINE_SHIFT) + 1,
	       "a cookie holds each line");
_Static_assert(HANDLER_USES *HANDLER_SLOTS == 1 << HANDLER_LINE_SHIFT, "their places are apart");

static struct handler_slot *take_slot(void)
{
	for (size_t i = 0; i < HANDLER_SLOTS; i++)
		if (!handler_slots[i].taken) {
			handler_slots[i].taken = true;
			return &handler_slots[i];
		}
	return NULL;
}

static uint64_t open_slot(struct handler_slot *slot, struct tally *tally,
			  const struct ledger *ledger)
{
	uint64_t use = slot->uses++ % HANDLER_USES;
	uint64_t cookie = HANDLER_MARK | use * HANDLER_SLOTS | (uint64_t)(slot - handler_slots);

	slot->tally = tally;
	slot->ledger = ledger;
	__atomic_store_n(&slot->cookie, cookie, __ATOMIC_SEQ_CST);
	return cookie;
}

static struct handler_slot *slot_of(const struct tick_signal *signal)
{
	return &handler_slots[signal->cookie % HANDLER_SLOTS];
}

static int take(struct tick_signal *signal, struct tally *tally, const struct ledger *ledger,
		struct error *reterr)
{
	struct handler_slot *slot;
	int ret = users ? 0 : install();

	if (ret)
		return error_set(reterr, ret, "signals: %s: leave a real-time signal",
				 strerror(-ret));
	slot = take_slot();
	if (!slot)
		return error_set(reterr, -EAGAIN,
				 "measurements: %d are on already: end one of them", HANDLER_SLOTS);
	users++;
	*signal =
		(struct tick_signal){.number = installed, .cookie = open_slot(slot, tally, ledger)};
	return 0;
}

int tick_signal_take(struct tick_signal *signal, struct tally *tally, const struct ledger *ledger,
		     struct error *reterr)
{
	int ret;

	(void)pthread_mutex_lock(&lock);
	ret = take(signal, tally, ledger, reterr);
	(void)pthread_mutex_unlock(&lock);
	return ret;
}

void *tick_signal_cookie(const struct tick_signal *signal, uint32_t line)
{
	return (void *)(uintptr_t)(signal->cookie | (uint64_t)line << HANDLER_LINE_SHIFT);
}

static void leave(struct handler_slot *slot)
{
	slot->taken = false;
	if (--users == 0)
		uninstall();
}

/* It sleeps, for the handler it waits for may be that of a thread of lower priority. */
static void wait_for_handlers(const struct handler_slot *slot)
{
	const struct timespec moment = {.tv_nsec = 20000};

	while (__atomic_load_n(&slot->busy, __ATOMIC_SEQ_CST))
		(void)nanosleep(&moment, NULL);
}

void tick_signal_release(struct tick_signal *signal)
{
	struct handler_slot *slot = slot_of(signal);

	__atomic_store_n(&slot->cookie, 0, __ATOMIC_SEQ_CST);
	wait_for_handlers(slot);
	(void)pthread_mutex_lock(&lock);
	leave(slot);
	(void)pthread_mutex_unlock(&lock);
}

/* Only the first of several measurements finds the signal unblocked, and only that one unblocks it
 * after the fork, whatever the order. */
void tick_signal_fork_prepare(struct tick_signal *signal)
{
	struct handler_slot *slot = slot_of(signal);
	sigset_t ours, before = {};

	(void)pthread_mutex_lock(&lock);
	sigemptyset(&ours);
	sigaddset(&ours, signal->number);
	signals_mask(SIG_BLOCK, &ours, &before);
	signal->unblocked = !sigismember(&before, signal->number);
	__atomic_store_n(&slot->held, true, __ATOMIC_SEQ_CST);
	wait_for_handlers(slot);
}

static void unblock(const struct tick_signal *signal)
{
	sigset_t ours;

	if (!signal->unblocked)
		return;
	sigemptyset(&ours);
	sigaddset(&ours, signal->number);
	signals_mask(SIG_UNBLOCK, &ours, NULL);
}

void tick_signal_fork_parent(struct tick_signal *signal)
{
	__atomic_store_n(&slot_of(signal)->held, false, __ATOMIC_SEQ_CST);
	(void)pthread_mutex_unlock(&lock);
	unblock(signal);
}

/* The lock's owner is a thread of the parent, and handlers of the other threads, that made a slot
 * busy, are not here. */
void tick_signal_fork_child(struct tick_signal *signal)
{
	struct handler_slot *slot = slot_of(signal);

	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	slot->busy = 0;
	slot->cookie = 0;
	slot->held = false;
	leave(slot);
	unblock(signal);
}
