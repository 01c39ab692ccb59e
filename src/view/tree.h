/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree.h"
#include "view/report.h"

/* A tree of calls: a row for each function below its caller (leaf first: below what it calls). */
struct tree_page {
	const struct profile *profile;
	const struct tree *tree;
	const struct tree_functions *functions;
	bool reverse;	/* as it was built */
	uint64_t min;	/* what has fewer samples is added up in one row below each function */
	uint32_t depth; /* at most so many calls below each other; 0: all */
	struct profile_account account; /* of the samples, also where the cells are of a value */
};

/* Print it.  Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the reason,
 * or 0. */
int tree_print(FILE *out, const struct tree_page *page, const struct report_style *style);
