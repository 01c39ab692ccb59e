/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/gmon_file.h"
#include "gmon/arcs.h"
#include "gmon/objects.h"
#include "gmon/output.h"

/* The forms of a gmon.out. */
struct gmon_format {
	const char *name; /* in PROFIL_GMON_FORMAT */
	enum gmon_kind kind;
};

/* The default first; NAME is NULL at the end. */
extern const struct gmon_format gmon_formats[];

/* Write OBJECT's cells, at HERTZ ticks a second, and the calls of its functions out of CALLS (may
 * be NULL).  Addresses are the file's own.  Signal-safe: yes. */
void gmon_format_write(const struct gmon_format *format, struct output *output,
		       const struct object *object, const struct arcs_table *calls, unsigned hertz);
