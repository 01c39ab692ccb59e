/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

#include <stdio.h>

/* Print PROFILE as counters in the text format of Prometheus: its account, and the CPU time of the
 * TOP functions that have most.  Returns 0, or -errno with a sentence (-ENOMEM has none). */
int metrics_print(FILE *out, const struct profile *profile, size_t top, struct error *reterr);
