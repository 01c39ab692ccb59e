/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/hist.h"
#include "symbol/code.h"

/* Put the hits of OBJECT into buckets: its rows, one each, rising.  CODE is NULL when it is not to
 * be had.  Returns 0 or -ENOMEM. */
int hist_rows_fill(struct hist *hist, struct hist_object *object, struct code *code);

/* Make runs of all rows with less than LEAST samples, or as many but beyond the SPARE that may
 * still be shown, and of the text between rows.  Returns 0 or -ENOMEM. */
int hist_rows_fold(struct hist *hist, struct hist_object *object, struct code *code, uint64_t least,
		   size_t *spare);
