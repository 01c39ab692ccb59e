/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* An order of what a profile consists of, by what it is and not by where it stands, so that equal
 * profiles become equal files.  Each returns less than 0, 0 for equal ones, or more. */

/* The program first, where pprof looks for it, then as the report adds up. */
int order_mappings(const struct profile *profile, const struct profile_mapping *left,
		   const struct profile_mapping *right);

/* By name, then by what else tells functions apart. */
int order_functions(const struct profile *profile, const struct profile_function *left,
		    const struct profile_function *right);

/* By process, thread and name. */
int order_values(const struct profile *profile, const struct profile_value *left,
		 const struct profile_value *right);
int order_tasks(const struct profile *profile, const struct profile_task *left,
		const struct profile_task *right);

/* The names of a location, COUNT lines each: fewer frames first, then frame by frame. */
int order_lines(const struct profile *profile, const struct profile_line *left, uint32_t left_count,
		const struct profile_line *right, uint32_t right_count);
