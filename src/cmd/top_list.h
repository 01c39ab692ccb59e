/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/folds.h"
#include "analysis/history.h"
#include "analysis/table.h"
#include "analysis/tree.h"
#include "view/report.h"

/* What top lists: a table or the tree of calls, with what each row counted lately. */

/* The views, by their keys 1, 2, ...; those but the tree are tables. */
#define TOP_VIEWS_EACH(view)                                                          \
	view(FUNCTIONS, "functions", TABLE_BY_FUNCTION) view(TREE, "tree", TABLE_BYS) \
		view(THREADS, "threads", TABLE_BY_THREAD)                             \
			view(PROCESSES, "processes", TABLE_BY_PROCESS)                \
				view(CPUS, "CPUs", TABLE_BY_CPU)                      \
					view(CGROUPS, "cgroups", TABLE_BY_CGROUP)     \
						view(WAITING, "waiting", TABLE_BY_REASON)
#define TOP_VIEW_NUMBER(view, name, by) TOP_##view,
enum top_view { TOP_VIEWS_EACH(TOP_VIEW_NUMBER) TOP_VIEWS };

enum top_sort { TOP_BY_LAST, TOP_BY_SELF, TOP_BY_TOTAL, TOP_BY_NAME, TOP_SORTS };

const char *top_view_name(enum top_view view);
const char *top_sort_name(enum top_sort sort);
/* The view of rows by BY; the functions for what has none. */
enum top_view top_view_by(enum table_by by);

struct top_item {
	const char *name, *object, *path; /* text of the profile, the table or the tree */
	enum profile_class class;
	uint32_t pid, tid;
	uint64_t self, total; /* samples; of what was waited for, nanoseconds */
	uint64_t last;	      /* of these, since the profile before */
	uint32_t history;
	struct key key;
	uint32_t depth; /* of the tree: calls above it, */
	char mark;	/* '+': what is below it is not shown, '-': it is, ' ': there is nothing */
};

/* Zeroed is empty. */
struct top_list {
	enum top_view view;
	enum top_sort sort;
	bool is_still;	 /* one profile, which has no last second */
	bool reverse;	 /* the tree leaf first */
	char filter[64]; /* part of names or objects, in any case; "": all */
	struct top_item *items;
	size_t count, capacity;
	uint64_t whole;	  /* what shares are of */
	struct error why; /* there are no rows; "": another case */

	/* Its own. */
	struct history history; /* of the view that was shown last, with that filter */
	enum top_view shown;
	char shown_filter[64];
	struct folds folds;
	struct table *table;
	struct tree *tree;
	struct tree_functions functions;
};

/* Make the items of PROFILE, which must stay until the next call; IS_NEW: it is another than in the
 * call before.  Returns 0 or -ENOMEM. */
int top_list_fill(struct top_list *list, const struct profile *profile, bool is_new);
void top_list_done(struct top_list *list);

/* Print COUNT items from FIRST on, behind a line of titles; SECONDS is what .last is of.  Returns 0
 * or -ENOMEM. */
int top_list_print(FILE *out, const struct top_list *list, size_t first, size_t count,
		   double seconds, const struct report_style *style);
