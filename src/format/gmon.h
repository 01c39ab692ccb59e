/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/format.h"

/* gmon.out in its three kinds, as gprof reads them: GNU's tagged records (<sys/gmon_out.h>), the
 * header of 4.4BSD (<sys/gmon.h>), and the one before it; and what was there before gprof, mon.out
 * of monitor(3) (mon_format.c).  Addresses are those of the program's file, of 4 or 8 bytes in its
 * byte order; a bin counts in 16 bits. */

enum gmon_kind {
	GMON_GNU,
	GMON_BSD44,
	GMON_BSD,
	GMON_MON, /* not gmon_recognises()'s or gmon_read()'s */
};

#define GMON_VERSION 1
#define GMON_SPARE 12 /* bytes that nobody uses, in two of the headers */
#define GMON_BSD44_VERSION 0x00051879
#define GMON_DIMENSION 15

enum gmon_tag {
	GMON_TIME_HIST,
	GMON_CALL_ARC,
	GMON_BLOCK_COUNT,
};

#define GMON_BIN 2 /* bytes of a bin's counter; and of text that gprof's finest bin is for */
#define GMON_BIN_MAX 0xffff /* what a bin counts to */

bool gmon_recognises(enum gmon_kind kind, const struct format_source *source);
int gmon_read(enum gmon_kind kind, const struct format_source *source, struct profile **ret_profile,
	      struct error *reterr);

/* One file for each object with ticks: PATH for the program with the most, PATH.NAME for the
 * others.  Each is whole or as it was. */
int gmon_write(enum gmon_kind kind, const struct profile *profile, const char *path,
	       struct error *ret_left, struct error *reterr);
