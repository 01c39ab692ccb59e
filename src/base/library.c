// SPDX-License-Identifier: BSD-2-Clause
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_load(const char *soname, const struct library_call *calls, size_t count)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < count; i++) {
		void *call = dlsym(library, calls[i].name);

		if (!call)
			return false;
		/* ISO C has no cast from an object's pointer to a function's; POSIX has both alike.
		 */
		memcpy(calls[i].pointer, &call, sizeof(call));
	}
	return library;
}
