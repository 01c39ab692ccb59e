/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/format.h"

/* What `perf script` prints of a perf.data: a text of samples (format/perf_line.h).  Contracts as
 * in struct format_ops. */

bool perf_recognises(const struct format_source *source);
int perf_read(const struct format_source *source, struct profile **ret_profile,
	      struct error *reterr);
int perf_write(const struct profile *profile, const char *path, struct error *ret_left,
	       struct error *reterr);
