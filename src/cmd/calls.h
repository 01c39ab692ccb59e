/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "view/report.h"

/* What 'profil report --calls' prints of PROFILE, which has its names: its calls, of the functions
 * that OPTIONS lets pass.  Returns the exit status. */
int calls_show(const struct profile *profile, const struct table_options *options,
	       const struct report_style *style);
