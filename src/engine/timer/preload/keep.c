// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/preload/keep.h"

#include <dlfcn.h>

void *keep_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}
