/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>

/* A program may call it: everything else is hidden.  libprofil.map has the same names. */
#define EXPORT __attribute__((visibility("default")))

/* What it returns for RET, 0 or -errno: 0, or -1 with errno. */
static inline int with_errno(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -1;
}
