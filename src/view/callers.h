/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree_arcs.h"
#include "view/report.h"

/* Functions with those that they were called by and that they called, by their call stacks. */
struct callers_page {
	const struct profile *profile;
	const struct tree_functions *functions;
	const struct tree *tree;
	const struct tree_arcs *arcs;
	const bool *wanted; /* of each function, whether it is asked for; NULL: all are */
	bool callers, callees;
	/* For eyes: calls with less than so many millionths of the function's samples, which were
	 * not counted either, are one row. */
	uint64_t min;
	struct profile_account account; /* of the samples, also where the cells are of a value */
};

/* Print it.  Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the reason,
 * or 0. */
int callers_print(FILE *out, const struct callers_page *page, const struct report_style *style);
