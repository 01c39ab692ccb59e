/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"
#include "view/report.h"

#include <stdio.h>

struct compare_style {
	struct report_style page;
	const char *files[DIFF_SIDES]; /* the first file of each side */
	const char *unit;	       /* DIFF_PER_UNIT: what work is counted in, "request" */
	bool by_reason;		       /* functions are reasons of waits */
};

/* Print DIFF as a table for eyes, as one JSON object, as RFC 4180 has it, or as a table in
 * Markdown. Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the reason,
 * or 0. */
int compare_print(FILE *out, const struct diff *diff, const struct compare_style *style);

/* Write the page, of the form REPORT_HTML, to PATH, which is replaced whole or not at all, as HOW
 * (enum replace_how) has it: DIFF, and FRAMES, the same by frame, as a flame graph (NULL: there are
 * no call stacks).  *RET_SIZE is its bytes.  Returns 0, or -errno with a sentence (-ENOMEM has
 * none).
 */
int compare_write(const struct diff *diff, const struct diff *frames,
		  const struct compare_style *style, const char *path, unsigned how,
		  size_t *ret_size, struct error *reterr);
