// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <errno.h>

/* In a static program, which loads no second object, and in 32-bit ones, for which none is made:
 * the kernel's engine as one that cannot. */
#if defined(__i386__)
#define REASON "not in the 32-bit libprofil: take perf or timer"
#else
#define REASON "a static program cannot load it: link it dynamically"
#endif

static int refuse(const struct inside_options *options, struct error *reterr)
{
	return error_set(reterr, -ENOSYS, "kernel engine: " REASON);
}

const struct inside_ops inside_kernel = {.name = "kernel", .probe = refuse};
