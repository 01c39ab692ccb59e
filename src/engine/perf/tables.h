/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/perf/maps.h"
#include "unwind/framed.h"
#include "unwind/walk.h"

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
		int fd;	     /* the file, where its code is to be followed; or 0 */
		pid_t tried; /* the process by whose path it was looked for last */
	} * all;	     /* heap, by the file's number */
	size_t count;
	struct perf_table vdso, vdso32;
	size_t bytes; /* of all tables */
	struct unwind_answers answers;
	uint64_t following_ns, following_since_ns; /* what was spent on them; 0: nothing yet */
};

/* The table of what MAPPING of process PID shows, or NULL: the file is not to be had any more, is
 * not the one that was mapped, or is none.  Valid until the next call. */
const struct unwind_table *perf_tables_of(struct perf_tables *tables,
					  const struct perf_files *files,
					  const struct perf_mapping *mapping, pid_t pid);

/* The rule at OFFSET of FILE, one of those that perf_tables_of() has compiled, where the code has
 * to be followed for it (framed.h for IS_EXACT).  That takes its time, and no more of it is spent
 * than records can wait.  Returns UNWIND_GOES_ON; UNWIND_NO_RULE; or UNWIND_NO_TABLE, not yet. */
enum unwind_end perf_tables_framed(struct perf_tables *tables, uint32_t file, uint64_t offset,
				   bool is_exact, struct unwind_rule *ret_rule);

void perf_tables_done(struct perf_tables *tables);
