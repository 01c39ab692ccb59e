/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/arcs.h"
#include "gmon/objects.h"
#include "gmon/output.h"

/* The forms of a gmon.out, each as gprof reads it. */
struct gmon_format {
	const char *name; /* in PROFIL_GMON_FORMAT */

	/* Write OBJECT's cells, at HERTZ ticks a second, and the calls of its functions out of
	 * CALLS (may be NULL).  Addresses are the file's own.  Signal-safe: yes. */
	void (*write)(struct output *output, const struct object *object,
		      const struct arcs_table *calls, unsigned hertz);
};

/* The default first, NULL at the end. */
extern const struct gmon_format *const gmon_formats[];
