/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/apart.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The profiles of what is measured, each as a file in memory, for as long as they are needed; and
 * the metrics of all intervals that are over, added up in processes of their own. */

/* The newest profile of an interval. */
struct live_file {
	uint64_t number; /* of the interval; the measurement without end is 1 */
	int fd;		 /* -1: none has come */
	bool is_last;	 /* nothing comes any more */
	bool is_stored;	 /* it is in the sum */
};

struct live_files {
	struct live_file *items; /* in order */
	size_t count, capacity;
	uint64_t newest; /* the number of the last of them */
	int store;	 /* the metrics, as they are printed, a file in memory; 0: none yet */
	struct apart adding;
	unsigned failures;
	uint64_t added; /* what it adds, */
	int to;		/* and where it writes the new ones */
};

/* There are files up to NUMBER.  Returns 0 or -ENOMEM.  | That of NUMBER, or NULL. */
int files_reach(struct live_files *files, uint64_t number);
struct live_file *files_find(const struct live_files *files, uint64_t number);

/* The last profile that has come; -1: none.  | Whether there are some and nothing more comes. */
int files_newest(const struct live_files *files);
bool files_are_last(const struct live_files *files);

/* Add the metrics of what is over to .store, one interval at a time. */
void files_add_up(struct live_files *files);

/* Forget those before FROM that are over and added. */
void files_forget(struct live_files *files, uint64_t from);
void files_done(struct live_files *files);
