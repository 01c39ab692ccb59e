// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include <errno.h>
#include <string.h>

/* What "perf record" writes is perf's own, another from version to version and from machine to
 * machine; "perf script" reads it where it was made, and says in words what is in it. */

static bool recognises(const struct format_source *source)
{
	return source->size >= 8 &&
	       (!memcmp(source->bytes, "PERFILE2", 8) || !memcmp(source->bytes, "2ELIFREP", 8));
}

static int refuse(const struct format_source *source, struct profile **ret_profile,
		  struct error *reterr)
{
	return error_set(reterr, -ENOTSUP,
			 "%s: perf's own format: run 'perf script -i %s | profil report -'",
			 source->path, source->path);
}

const struct format_ops perf_data_format = {
	.name = "perf-data",
	.summary = "perf's own file, which 'perf script' reads",
	.recognises = recognises,
	.read = refuse,
};
