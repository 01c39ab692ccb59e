/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/moving.h"
#include "cmd/top_list.h"
#include "view/screen.h"

#include <stdint.h>

/* What the parts of top share, each in a file of its own. */

/* What is on the screen: the list, or a page that stands over it. */
enum top_mode {
	TOP_LIST,
	TOP_CODE,    /* instructions of the function that is looked into */
	TOP_CALLERS, /* who calls it, and whom it calls */
	TOP_HELP,
};

enum top_asking { TOP_ASKS_NOTHING, TOP_ASKS_FILTER, TOP_ASKS_FILE };

struct top {
	struct moving *moving;
	struct screen *screen;
	struct report_style style;
	struct top_list list;
	const struct profile *profile;	       /* the one shown; NULL: none has come */
	uint64_t samples, cpu_ns, duration_ns; /* of the one before it */
	double seconds;			       /* between both; 0: there is none */
	uint64_t last_samples, last_cpu_ns;    /* in these */

	enum top_mode mode;
	char *page;		 /* of a mode that is none of the list's; heap */
	char *function, *object; /* that is looked into; heap */
	size_t chosen, first;	 /* the item that is marked; the first line that is shown */

	enum top_asking asking;
	char input[64];
	char message[sizeof(struct error)]; /* "": none */
	bool paused, quits;
	bool hurries;	     /* a screen is wanted now */
	uint64_t refresh_ns; /* between two screens */
};

/* Show MOVING on the terminal FD, which is then closed, beginning with what LIST has been told,
 * until somebody wants it to end; the process's signals are taken.  Returns the exit status. */
int top_show(struct moving *moving, int fd, const struct top_list *list);

/* Draw all of it. */
void top_draw(struct top *top);
/* How many rows of the list or lines of the page there is room for. */
size_t top_room(const struct top *top);

/* Make the page of the mode anew; .message says what went wrong. */
void top_make_page(struct top *top);

/* Do what KEY asks for. */
void top_take_key(struct top *top, int key);
