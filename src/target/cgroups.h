/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* Which control groups are in use here: ticks are kept apart by those of version 2. */
enum cgroups {
	CGROUPS_UNIFIED, /* of version 2 alone */
	CGROUPS_MIXED,	 /* of both: a task has a place in each hierarchy */
	CGROUPS_OLD, /* of version 1 alone, or none: in version 2's hierarchy all are at its root */
};

/* By what is mounted.  Signal-safe: no.  Thread-safe: yes. */
enum cgroups cgroups_in_use(void);

/* What the own control group, of version 1 or 2, lets its processes have of memory, in bytes; 0: it
 * sets no limit, or none that could be found. */
uint64_t cgroups_memory_limit(void);
