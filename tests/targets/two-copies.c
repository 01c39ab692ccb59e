/* SPDX-License-Identifier: BSD-2-Clause */
/* two-copies THREE ONE: the same function of two copies of one library, loaded from two paths at
 * once, 3:1.  The truth is told by path. */

#include "truth.h"

#include <dlfcn.h>

static spin *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		truth_fail(path);
	return (spin *)dlsym(library, "spin_three");
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 1;

	struct truth three = {argv[1]}, one = {argv[2]};
	spin *do_three = load(argv[1]), *do_one = load(argv[2]);

	if (do_three == do_one)
		return 1;
	truth_begin();
	truth_split(&three, do_three, &one, do_one, TRUTH_SECONDS);
	return 0;
}
