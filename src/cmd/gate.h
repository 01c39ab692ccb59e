/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"

/* What profil returns for a change that --fail-above does not allow. */
#define EXIT_ABOVE 1
/* ... and where the runs cannot tell whether there is one. */
#define EXIT_OPEN 2

/* Whether something in DIFF grew by more than LIMIT, in millionths of all, and what.  Returns 0, or
 * one of those, having said why on stderr: a table may be read by a program. */
int gate_judge(const struct diff *diff, uint64_t limit);
