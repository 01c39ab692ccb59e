// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

void live_init(struct live *live, bool quiet)
{
	const char *term = getenv("TERM");

	memset(live, 0, sizeof(*live));
	live->wanted = !quiet && isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

bool live_wanted(const struct live *live)
{
	return live->wanted;
}

/* A full-screen program reads keys one by one; our line would land in its picture. */
static bool terminal_is_taken(void)
{
	struct termios settings;

	return !tcgetattr(STDERR_FILENO, &settings) && !(settings.c_lflag & ICANON);
}

void live_show(struct live *live, const struct engine_ops *ops, struct engine *engine,
	       uint64_t elapsed_ns)
{
	struct engine_progress progress;

	if (terminal_is_taken() || ops->progress(engine, &progress))
		return;
	/* The cursor goes back to the line's start: what the program prints next covers it. */
	(void)fprintf(stderr,
		      "\r\033[Kprofil: %.0f s, %" PRIu64 " samples at %" PRIu64
		      " addresses, %.1f s of CPU\r",
		      (double)elapsed_ns / 1e9, progress.ticks, progress.cells,
		      (double)progress.cpu_ns / 1e9);
	(void)fflush(stderr);
	live->shown = true;
}

void live_clear(struct live *live)
{
	if (!live->shown || terminal_is_taken())
		return;
	(void)fputs("\r\033[K", stderr);
	(void)fflush(stderr);
	live->shown = false;
}
