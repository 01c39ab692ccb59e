/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/gmon.h"
#include "format/gmon_calls.h"
#include "format/object_cells.h"
#include "format/output.h"

/* One object's file in bytes, each kind of it in the words of the machine that it is for. */

struct gmon_out {
	struct output output;
	struct gmon_file file; /* words as in the object's file */
	uint64_t cut;	       /* ticks beyond what a bin counts to */
};

/* What goes into it.  There is one cell at least. */
struct gmon_content {
	const struct object_cell *cells;
	size_t cell_count;
	const struct gmon_call *calls;
	size_t call_count;
};

void gmon_put(struct gmon_out *out, const struct gmon_content *content);
