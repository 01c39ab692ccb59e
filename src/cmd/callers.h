/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "view/report.h"

/* What 'profil report --callers' and '--callees' print of PROFILE, which has its names and call
 * stacks, of the functions that OPTIONS lets pass.  Returns the exit status. */
int callers_show(const struct profile *profile, const struct table_options *options, bool callers,
		 bool callees, const struct report_style *style);
