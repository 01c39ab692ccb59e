/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "view/callers.h"

/* What 'profil report --callers' and '--callees' print of PAGE's profile, which has its names and
 * call stacks, of the functions that OPTIONS lets pass: the rest of PAGE is filled in.  Returns the
 * exit status. */
int callers_show(struct callers_page *page, const struct table_options *options,
		 const struct report_style *style);
