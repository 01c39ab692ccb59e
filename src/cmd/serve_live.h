/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/moving.h"
#include "cmd/pages.h"
#include "http/http.h"

/* What is measured while it is served: each request gets the profile as it is then, as a file in
 * memory, for the process that makes its page. */

struct live_pages {
	struct moving *moving; /* NULL: files are served, and nothing is measured */
	struct pages *pages;
	struct http *http;
	size_t top; /* functions among the metrics */
	struct wanting *wanting;
	int file;	  /* the newest profile; -1: none has come */
	bool is_last;	  /* nothing is measured any more */
	uint64_t next_ns; /* when the next is asked for, for those who watch */
};

/* The path of the page's profile in its process; and of the one before, where it has two. */
#define LIVE_FILE "/proc/self/fd/3"
#define LIVE_BEFORE "/proc/self/fd/4"

/* REQUEST is answered by PAGE, of the profile as it is now. */
void live_answer(struct live_pages *live, struct http_request *request, const struct page *page);

/* The page that moves, and the events that tell it when.  Returns whether PATH is of these. */
bool live_answer_moving(struct live_pages *live, struct http_request *request, const char *path);

/* ... where it is for programs that collect profiles or numbers.  Returns whether PATH is such. */
bool live_answer_collector(struct live_pages *live, struct http_request *request, const char *path);

/* How long it may be waited for, in milliseconds, -1 for ever. */
int live_wait_ms(const struct live_pages *live);

/* Take what has come, and ask for what is due. */
void live_go_on(struct live_pages *live);
void live_done(struct live_pages *live);
