// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon.h"

#define GMON_FORMAT(kind, id, words, about)                                            \
	static bool recognises_##id(const struct format_source *source)                \
	{                                                                              \
		return gmon_recognises(kind, source);                                  \
	}                                                                              \
	static int read_##id(const struct format_source *source, struct profile **ret, \
			     struct error *reterr)                                     \
	{                                                                              \
		return gmon_read(kind, source, ret, reterr);                           \
	}                                                                              \
	static int write_##id(const struct profile *profile, const char *path,         \
			      struct error *ret_left, struct error *reterr)            \
	{                                                                              \
		return gmon_write(kind, profile, path, ret_left, reterr);              \
	}                                                                              \
	const struct format_ops gmon_##id##_format = {                                 \
		.name = words,                                                         \
		.summary = about,                                                      \
		.usual = "gmon.out",                                                   \
		.recognises = recognises_##id,                                         \
		.read = read_##id,                                                     \
		.write = write_##id,                                                   \
	}

GMON_FORMAT(GMON_GNU, gnu, "gmon", "gmon.out, for GNU gprof");
GMON_FORMAT(GMON_BSD44, bsd44, "gmon-4.4bsd", "gmon.out as 4.4BSD has it");
GMON_FORMAT(GMON_BSD, bsd, "gmon-bsd", "gmon.out as the BSDs before had it");
