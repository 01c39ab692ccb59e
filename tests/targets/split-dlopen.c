/* SPDX-License-Identifier: BSD-2-Clause */
/* split-dlopen LIBRARY: two functions, 3:1, of a library that is loaded and unloaded again before
 * the program ends. */

#include "truth.h"

#include <dlfcn.h>

int main(int argc, char **argv)
{
	struct truth three = {"spin_three"}, one = {"spin_one"};
	void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;

	if (!library)
		truth_fail("dlopen");
	truth_begin();
	truth_split(&three, (spin *)dlsym(library, "spin_three"), &one,
		    (spin *)dlsym(library, "spin_one"), TRUTH_SECONDS);
	dlclose(library);
	return 0;
}
