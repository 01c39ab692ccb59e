/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <string.h>

/* PATH without its folders; all of it where nothing stands behind its last "/". */
static inline const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}
