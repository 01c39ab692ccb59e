// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/ledger.h"

#include "engine/inside/space.h"

#include <errno.h>

/* Whole pages, a power of 2 of them: what space_reserve() takes for it. */
static size_t chunk_bytes(int chunk)
{
	return ((size_t)LEDGER_FIRST_CHUNK << chunk) * sizeof(struct ledger_line);
}

uint64_t ledger_next(const struct ledger *ledger, const struct ledger_line *line)
{
	return __atomic_load_n(&line->base, __ATOMIC_RELAXED) +
	       (__atomic_load_n(&line->ticks, __ATOMIC_RELAXED) + 1) * ledger->period_ns;
}

int ledger_reserve(struct ledger *ledger, uint32_t index)
{
	int chunk = ledger_chunk(index);
	struct space space = {0};
	int ret;

	if (index >= LEDGER_LINES)
		return -EAGAIN;
	if (ledger->chunks[chunk])
		return 0;
	ret = space_reserve(&space, chunk_bytes(chunk));
	if (!ret)
		__atomic_store_n(&ledger->chunks[chunk], space.start, __ATOMIC_RELEASE);
	return ret;
}

void ledger_done(struct ledger *ledger)
{
	for (int i = 0; i < LEDGER_CHUNKS; i++) {
		struct space space = {.start = ledger->chunks[i], .bytes = chunk_bytes(i)};

		if (space.start)
			space_done(&space);
		ledger->chunks[i] = NULL;
	}
}
