// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <errno.h>

/* In a static program, which loads no second object: the kernel's engine as one that cannot. */
static int refuse(const struct inside_options *options, struct error *reterr)
{
	return error_set(reterr, -ENOSYS,
			 "kernel engine: a static program cannot load it: link it dynamically");
}

const struct inside_ops inside_kernel = {.name = "kernel", .probe = refuse};
