// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/handler.h"

#include "engine/inside/pc.h"
#include "engine/inside/raw.h"

#include <sys/syscall.h>
#include <time.h>

struct handler_slot handler_slots[HANDLER_SLOTS];
handler_other_action *handler_other;

#define KERNEL_SIGSET_SIZE 8

/* The kernel's struct sigaction and its set of signals, all 0: SIG_DFL. */
static const unsigned long default_action[3 + KERNEL_SIGSET_SIZE / sizeof(long)];

/* The signal is blocked here, so the second one comes when the handler returns. */
void handler_default(int number)
{
	long pid = raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	long tid = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	raw_syscall(SYS_rt_sigaction, number, (long)default_action, 0, KERNEL_SIGSET_SIZE, 0, 0);
	raw_syscall(SYS_tgkill, pid, tid, number, 0, 0, 0);
}

static void do_default(int number, siginfo_t *info, void *context)
{
	handler_default(number);
}

static const struct itimerspec never;

static void disarm(int timer)
{
	raw_syscall(SYS_timer_settime, timer, 0, (long)&never, 0, 0, 0);
}

static struct handler_slot *slot_of(uint64_t cookie)
{
	if ((cookie & HANDLER_MARK_MASK) != HANDLER_MARK)
		return NULL;
	return &handler_slots[cookie % HANDLER_SLOTS];
}

static uint32_t line_of(uint64_t cookie)
{
	return (uint32_t)((cookie & HANDLER_LINE_MASK) >> HANDLER_LINE_SHIFT);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec now; /* the thread's own clock is always there */

	raw_syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now, 0, 0, 0, 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Ticks that this thread takes now and will not take again.  Nothing interrupts it between the
 * two steps, and no other thread writes the line. */
static uint32_t settle(const struct ledger *ledger, struct ledger_line *line)
{
	uint64_t owed = ledger_owed(ledger, line, own_cpu_ns());
	uint32_t ticks = owed < UINT32_MAX ? (uint32_t)owed : UINT32_MAX;

	__atomic_fetch_add(&line->ticks, ticks, __ATOMIC_RELAXED);
	return ticks;
}

/* While a fork is under way no cell is written, and no handler waits for it to be over: its thread
 * may hold a lock that the fork waits for.  What is due stays due. */
static void tick(const struct handler_slot *slot, const siginfo_t *info, uint64_t cookie,
		 const void *context)
{
	struct ledger_line *line = ledger_line(slot->ledger, line_of(cookie));
	uint32_t ticks;

	if (!line || __atomic_load_n(&slot->held, __ATOMIC_SEQ_CST))
		return;
	ticks = settle(slot->ledger, line);
	if (ticks)
		tally_tick(slot->tally, pc_of_context(context), context, ticks);
	if (tally_has_ended(slot->tally))
		disarm(info->si_timerid);
}

void handler_run(int number, siginfo_t *info, void *context)
{
	uint64_t cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
	struct handler_slot *slot = info->si_code == SI_TIMER ? slot_of(cookie) : NULL;

	if (!slot) {
		(handler_other ? handler_other : do_default)(number, info, context);
		return;
	}
	/* Either this comes before the cookie is taken away, and is waited for, or it sees that. */
	__atomic_fetch_add(&slot->busy, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&slot->cookie, __ATOMIC_SEQ_CST) == (cookie & ~HANDLER_LINE_MASK))
		tick(slot, info, cookie, context);
	__atomic_fetch_sub(&slot->busy, 1, __ATOMIC_RELEASE);
}
