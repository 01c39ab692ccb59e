/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "http/http.h"

#include <poll.h>
#include <stddef.h>

/* Pages are what profil's commands print, each in a process of its own with bounds on its time and
 * memory: the server itself reads no profile and no debug information. */

#define PAGE_WORDS 40
#define PAGE_INPUTS 64

struct page {
	const char *type;	/* its media type */
	char *argv[PAGE_WORDS]; /* a command and its words, ended by NULL; copied */
	/* Or else what prints it, and returns an exit status. */
	int (*print)(const void *context);
	const void *context;
	int inputs[PAGE_INPUTS]; /* what are its descriptors 3 and on, copied; 0: none */
};

#define PAGES_AT_ONCE 4
#define PAGES_FDS (2 * PAGES_AT_ONCE)

struct pages {
	struct job *jobs; /* first come, first made */
};

/* REQUEST is answered when PAGE has been printed, or with why it has not. */
void pages_make(struct pages *pages, struct http_request *request, const struct page *page);

/* In a process of its own: what is in INPUTS, PAGE_INPUTS of them, becomes descriptors 3 and on as
 * .inputs of a page does, and those behind are closed.  Returns 0 or -errno. */
int pages_take_inputs(const int *inputs);

/* What to wait for, at most PAGES_FDS.  Returns how many; where there are any, none is to be waited
 * for longer than a second. */
size_t pages_wait(const struct pages *pages, struct pollfd *ret_fds);

/* Answer with what is there by now, and begin what waits. */
void pages_go_on(struct pages *pages);

/* Nobody waits any more. */
void pages_done(struct pages *pages);
