/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/moving.h"
#include "cmd/pages.h"
#include "cmd/rounds.h"
#include "cmd/serve_files.h"
#include "http/http.h"

/* What is measured while it is served: each request gets the profile as it is then, as a file in
 * memory, for the process that makes its page.  It is one measurement without end, or one interval
 * after the other; then what is asked for is the running one, or the sum of some or of all. */

struct live_pages {
	struct moving *moving; /* one without end, */
	struct rounds *rounds; /* or intervals; both NULL: files are served, nothing is measured */
	struct pages *pages;
	struct http *http;
	const char *root;     /* the path of the page that moves, and ahead of its other views */
	size_t top;	      /* functions among the metrics */
	uint64_t seconds_max; /* of a difference: LIVE_INTERVALS of them, or a day */
	struct wanting *wanting;
	struct live_files files;
	uint64_t next_ns;    /* when the next is asked for, for those who watch */
	bool has_said_ended; /* to those */
};

#define LIVE_FDS 1
#define LIVE_INTERVALS (PAGE_INPUTS - 4) /* whole ones, and what is before and behind them */

/* The path of the page's profile in its process. */
#define LIVE_FILE "/proc/self/fd/3"

/* ROUNDS' .take, of struct rounds_options; LIVE is its .context. */
void live_take(void *live, uint64_t number, const struct round_news *news);

/* REQUEST is answered, where PATH is of what is measured: a view, the page that moves, the events
 * that tell it when, and what is for programs that collect profiles or numbers.  Returns whether it
 * is. */
bool live_answer(struct live_pages *live, struct http_request *request, const char *path);

/* What to wait for, at most LIVE_FDS, and how long, in milliseconds, -1 for ever.  Returns how
 * many. */
size_t live_wait(const struct live_pages *live, struct pollfd *ret_fds);
int live_wait_ms(const struct live_pages *live);

/* Take what has come, and ask for what is due. */
void live_go_on(struct live_pages *live);
void live_done(struct live_pages *live);
