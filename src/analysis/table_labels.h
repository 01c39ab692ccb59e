/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"

/* Whose samples are, which cells say by their labels: a process, a thread, a CPU, a control group.
 */

/* Whether BY asks whose samples are, and not where they fell. */
bool table_by_label(enum table_by by);

/* What the labels of CELL say, or NULL. */
const struct profile_task *table_task_of(const struct profile *profile,
					 const struct profile_cell *cell);

/* What BY goes by in TASK (which may be NULL) as a number, 0 where cells were not split by it. */
uint64_t table_label(enum table_by by, const struct profile_task *task);

/* The command line of TASK's process, "" where it is not known; text of the profile. */
const char *table_title(const struct profile *profile, const struct profile_task *task);

/* What the row of cells without that label is called, "[no process]". */
const char *table_label_none(enum table_by by);

/* Whether PROFILE can be shown by BY.  Returns 0, or -EINVAL with a sentence. */
int table_check_labels(const struct profile *profile, enum table_by by, struct error *reterr);
