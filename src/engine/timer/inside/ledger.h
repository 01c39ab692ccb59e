/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What each thread is due by its own CPU clock, and what it has had of that.  A signal only says
 * "look now": how many ticks it is worth is the difference.  So none that comes late, twice or in
 * vain makes an error, and the ticks of a thread are its CPU time up to its last signal, exactly.
 */

struct ledger_line {
	uint64_t base;	/* of the thread's CPU clock: a tick is due at each base + n * period;
			 * atomic, for nothing but the timer's signal orders it before a handler */
	uint64_t ticks; /* n of the last one counted; atomic, added to by the thread itself alone */
};

#define LEDGER_FIRST_CHUNK 256 /* a page of them */
#if UINTPTR_MAX > UINT32_MAX
#define LEDGER_CHUNKS 15 /* more lines than PID_MAX */
#else
#define LEDGER_CHUNKS 7 /* 32,512: more stacks than there are addresses for, at 128 KiB */
#endif
#define LEDGER_LINES (LEDGER_FIRST_CHUNK * ((1U << LEDGER_CHUNKS) - 1))

/* Lines never move, for handlers may be at them: each chunk is twice as long as the one before. */
struct ledger {
	uint64_t period_ns;
	struct ledger_line *chunks[LEDGER_CHUNKS]; /* atomic */
};

/* The chunk of line INDEX.  By steps: some processors have a call for the leading zeros. */
static inline int ledger_chunk(uint32_t index)
{
	int chunk = 0;

	for (uint32_t place = index / LEDGER_FIRST_CHUNK + 1; place > 1; place /= 2)
		chunk++;
	return chunk;
}

/* NULL: there is none.  Signal-safe: yes.  Thread-safe: yes. */
static inline struct ledger_line *ledger_line(const struct ledger *ledger, uint32_t index)
{
	int chunk = ledger_chunk(index);
	struct ledger_line *lines;

	if (index >= LEDGER_LINES)
		return NULL;
	lines = __atomic_load_n(&ledger->chunks[chunk], __ATOMIC_ACQUIRE);
	return lines ? lines + index - LEDGER_FIRST_CHUNK * ((1U << chunk) - 1) : NULL;
}

/* Ticks that are due at CPU_NS of the thread's clock and not yet counted; a clock that has gone
 * back owes none.  Signal-safe: yes.  Thread-safe: yes. */
static inline uint64_t ledger_owed(const struct ledger *ledger, const struct ledger_line *line,
				   uint64_t cpu_ns)
{
	int64_t elapsed = (int64_t)(cpu_ns - __atomic_load_n(&line->base, __ATOMIC_RELAXED));
	uint64_t due = elapsed > 0 ? (uint64_t)elapsed / ledger->period_ns : 0;
	uint64_t had = __atomic_load_n(&line->ticks, __ATOMIC_RELAXED);

	return due > had ? due - had : 0;
}

/* Where on its thread's clock the tick after the last one counted is due. */
uint64_t ledger_next(const struct ledger *ledger, const struct ledger_line *line);

/* From now on there is a line INDEX.  Returns 0, -ENOMEM, or -EAGAIN: there are too many. */
int ledger_reserve(struct ledger *ledger, uint32_t index);

/* When no handler is at it any more, or in the child of a fork. */
void ledger_done(struct ledger *ledger);
