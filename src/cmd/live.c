// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/live.h"

#include "base/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

void live_init(struct live *live, bool quiet)
{
	*live = (struct live){.wanted = !quiet && progress_is_possible(STDERR_FILENO)};
}

bool live_wanted(const struct live *live)
{
	return live->wanted;
}

void live_show(struct live *live, const struct engine_ops *ops, struct engine *engine,
	       uint64_t elapsed_ns)
{
	struct engine_progress progress;
	char line[256];

	if (ops->progress(engine, &progress))
		return;
	/* The cursor goes back to the line's start: what the program prints next covers it. */
	(void)snprintf(line, sizeof(line),
		       "profil: %.0f s, %" PRIu64 " samples at %" PRIu64
		       " addresses, %.1f s of CPU\r",
		       (double)elapsed_ns / 1e9, progress.ticks, progress.cells,
		       (double)progress.cpu_ns / 1e9);
	live->shown |= progress_line(STDERR_FILENO, line);
}

void live_clear(struct live *live)
{
	if (live->shown)
		live->shown = !progress_line(STDERR_FILENO, "");
}
