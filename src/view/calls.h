/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/callgraph.h"
#include "view/report.h"

#include <regex.h>

/* Functions with their samples and intervals, each with its callers above it and what it calls
 * below, as often as it was counted: nothing in it is divided. */
struct calls_page {
	const struct profile *profile;
	const struct callgraph *graph;
	const char *object;	 /* only functions of this file, by base name or path; NULL: all */
	const regex_t *function; /* only those that match; NULL: all */
};

/* Print it as text.  Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the
 * reason, or 0. */
int calls_print(FILE *out, const struct calls_page *page, const struct report_style *style);
