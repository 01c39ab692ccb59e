// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/handler.h"

#include "engine/inside/pc.h"
#include "engine/inside/raw.h"

#include <sys/syscall.h>
#include <time.h>

struct handler_slot handler_slots[HANDLER_SLOTS];

/* The kernel's struct sigaction and its set of signals, all 0: SIG_DFL. */
static const unsigned long default_action[4];
#define KERNEL_SIGSET_SIZE 8

/* The signal is blocked here, so the second one comes when the handler returns. */
static void do_default(int number)
{
	long pid = raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	raw_syscall(SYS_rt_sigaction, number, (long)default_action, 0, KERNEL_SIGSET_SIZE, 0, 0);
	raw_syscall(SYS_tgkill, pid, tid, number, 0, 0, 0);
}

static const struct itimerspec never;

static void disarm(int timer)
{
	raw_syscall(SYS_timer_settime, timer, 0, (long)&never, 0, 0, 0);
}

static struct handler_slot *slot_of(uintptr_t cookie)
{
	uintptr_t first = (uintptr_t)handler_slots;

	if (cookie < first || cookie >= first + sizeof(handler_slots))
		return NULL;
	return &handler_slots[(cookie - first) / sizeof(struct handler_slot)];
}

static uint32_t take_owed(struct handler_slot *slot)
{
	if (!__atomic_load_n(&slot->owed, __ATOMIC_RELAXED))
		return 0;
	return __atomic_exchange_n(&slot->owed, 0, __ATOMIC_RELAXED);
}

/* No handler waits for a fork to be over: its thread may hold a lock that the fork waits for. */
static void tick(struct handler_slot *slot, const siginfo_t *info, const void *context)
{
	uint32_t ticks = 1 + (info->si_overrun > 0 ? (uint32_t)info->si_overrun : 0);

	if (__atomic_load_n(&slot->held, __ATOMIC_SEQ_CST)) {
		__atomic_fetch_add(&slot->owed, ticks, __ATOMIC_RELAXED);
		return;
	}
	ticks += take_owed(slot);
	tally_tick(slot->tally, pc_of_context(context), ticks);
	if (tally_has_ended(slot->tally))
		disarm(info->si_timerid);
}

void handler_run(int number, siginfo_t *info, void *context)
{
	uintptr_t cookie = (uintptr_t)info->si_value.sival_ptr;
	struct handler_slot *slot = info->si_code == SI_TIMER ? slot_of(cookie) : NULL;

	if (!slot) {
		do_default(number);
		return;
	}
	/* Either this comes before the cookie is taken away, and is waited for, or it sees that. */
	__atomic_fetch_add(&slot->busy, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&slot->cookie, __ATOMIC_SEQ_CST) == cookie)
		tick(slot, info, context);
	__atomic_fetch_sub(&slot->busy, 1, __ATOMIC_RELEASE);
}
