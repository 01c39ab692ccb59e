/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <stdio.h>

/* Profiles as counters in the text format of Prometheus: their accounts, and the CPU time of the
 * functions that have most, each the sum over all that were added. */

struct metrics;

/* NULL when memory is short.  metrics_free() takes NULL, returns NULL. */
struct metrics *metrics_new(void);
struct metrics *metrics_free(struct metrics *metrics);

/* Returns 0, or -errno with a sentence (-ENOMEM has none). */
int metrics_add(struct metrics *metrics, const struct profile *profile, struct error *reterr);

/* Add what metrics_print() has printed.  Returns 0, -ENOMEM, or -EBADMSG where it is none. */
int metrics_read(struct metrics *metrics, FILE *in);

/* Print them, and of functions the TOP that have most.  Whether OUT could be written is the
 * caller's to see.
 *
 * Where METRICS_KEPT are printed each time that something was added, and read again the next time,
 * memory is bounded, and yet no counter of the METRICS_KEPT or fewer that are shown ever falls:
 * what is left out is less than all that are kept, and so was what of it may have been shown. */
#define METRICS_KEPT 20000
void metrics_print(FILE *out, struct metrics *metrics, size_t top);
