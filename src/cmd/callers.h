/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "view/callers.h"

/* What 'profil report --callers' and '--callees' print of PAGE's profile, which has its names and
 * call stacks, of the functions that OPTIONS lets pass: the rest of PAGE is filled in.  Returns the
 * exit status. */
int callers_show(struct callers_page *page, const struct table_options *options,
		 const struct report_style *style);

/* Make the tree of PAGE, which has all but that, and print it to OUT; NULL: memory was short.
 * Returns what callers_print() does. */
int callers_write(FILE *out, struct callers_page *page, const struct report_style *style);
