/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A measurement, shared by what makes it (load.c), asks it (account.c) and runs it (object.c). */

#include "engine/clock.h"
#include "engine/inside/inside.h"
#include "engine/kernel/object/count.h"
#include "engine/kernel/object/extents.h"

#include "count.skel.h" /* needs count.h */

/* What is asked and changed while it runs are mappings: descriptors are only the opener's. */
struct kernel_run {
	struct count *skeleton; /* NULL once all runs: the links keep what they need */
	struct extents extents;
	size_t page_count;		 /* of COUNT_PAGE, in all extents */
	char *area;			 /* where the kernel counts; not the program's buffer */
	struct count_tally *tallies;	 /* one per page of the area */
	struct count_counters *counters; /* one per CPU */
	size_t cpu_count;
	struct count__bss *globals;
	struct clocks clocks; /* one per CPU */
	int *links;	      /* of the counting program to each of these */
	size_t link_count;
	char *snapshot; /* of the area, for a child; NULL but during a fork */
	struct kernel_run *next;
};

/* Load the counting program, and its maps with the table; TID is the thread wanted, 0 for all.
 * Needs the extents. */
int load_count(struct kernel_run *run, const struct inside_options *options, pid_t tid,
	       struct error *reterr);

/* The mappings, whole or half made. */
void load_unmap(struct kernel_run *run);

/* Thread-safe: yes. */
void account_read(struct kernel_run *run, struct inside_account *ret_account);

/* A copy of the area's cells in ASIDE, which is as large and was 0, and the account of just these:
 * a tick is in both or in neither, while others come. */
void account_cut(struct kernel_run *run, char *aside, struct inside_account *ret_account);
