/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/gmon_file.h"
#include "format/format.h"

/* KIND is not GMON_MON: mon_format.c has that. */
bool gmon_recognises(enum gmon_kind kind, const struct format_source *source);
int gmon_read(enum gmon_kind kind, const struct format_source *source, struct profile **ret_profile,
	      struct error *reterr);

/* One file for each object with ticks: PATH for the program with the most, PATH.NAME for the
 * others.  Each is whole or as it was. */
int gmon_write(enum gmon_kind kind, const struct profile *profile, const char *path,
	       struct error *ret_left, struct error *reterr);
