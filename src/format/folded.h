/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/format.h"

/* The reader of folded stacks.  Contracts as in struct format_ops. */

bool folded_recognises(const struct format_source *source);
int folded_read(const struct format_source *source, struct profile **ret_profile,
		struct error *reterr);
