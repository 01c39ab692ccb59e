/* SPDX-License-Identifier: BSD-2-Clause */
/* loads LIBRARY SECONDS [close]: has it spin, loaded when the program runs, and maybe closes it;
 * prints its CPU time. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	double (*spin)(double);

	if (!library)
		return 1;
	*(void **)&spin = dlsym(library, "spin_library");
	printf("%f\n", spin(atof(argv[2])));
	return argc > 3 ? dlclose(library) : 0;
}
