// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "profile/pprof.h"

#include <errno.h>

static int read_pprof(const char *path, const struct format_hints *hints,
		      struct profile **ret_profile, struct error *reterr)
{
	if (hints->map)
		return error_set(reterr, -EINVAL,
				 "%s: has no use for a map: only a .PRF of a DOS program has",
				 path);
	return pprof_read(path, ret_profile, reterr);
}

const struct format_ops pprof_format = {
	.name = "pprof",
	.summary = "profile.proto, gzipped: profil's own",
	.read = read_pprof,
	.write = pprof_write,
};
