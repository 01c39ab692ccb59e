/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/perf/maps.h"
#include "unwind/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The unwind tables of the files that code was seen in, each compiled when it is first asked for.
 * Zeroed is empty. */

struct perf_tables {
	struct perf_table {
		struct unwind_table table;
		bool is_there;
		pid_t tried; /* the process by whose path it was looked for last */
	} * all;	     /* heap, by the file's number */
	size_t count;
	struct perf_table vdso, vdso32;
	size_t bytes; /* of all tables */
};

/* The table of what MAPPING of process PID shows, or NULL: the file is not to be had any more, is
 * not the one that was mapped, or is none.  Valid until the next call. */
const struct unwind_table *perf_tables_of(struct perf_tables *tables,
					  const struct perf_files *files,
					  const struct perf_mapping *mapping, pid_t pid);

void perf_tables_done(struct perf_tables *tables);
