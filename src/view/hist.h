/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/hist.h"
#include "base/error.h"
#include "view/report.h"

struct hist_style {
	struct report_style page; /* its rows are not used */
	bool strip;		  /* a heat strip for each object instead of its buckets */
};

/* Print HIST.  Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the
 * reason, or 0. */
int hist_print(FILE *out, const struct hist *hist, const struct hist_style *style);

/* Draw HIST, or with STRIP its strips alone, into the file PATH, which is replaced whole or not at
 * all.  PNG needs Cairo's library, which is looked for when it is wanted.
 * Returns 0, or -errno with a sentence. */
enum hist_picture { HIST_SVG, HIST_PNG };
int hist_draw(const struct hist *hist, enum hist_picture kind, bool strip, const char *path,
	      struct error *reterr);
