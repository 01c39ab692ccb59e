// SPDX-License-Identifier: BSD-2-Clause
#include <dlfcn.h>
#include <sys/profil.h>
#include <sys/time.h>

#include "truth.h"

/* Text that comes and goes: an object that is loaded while profiling is on is counted in a region
 * of its own, and goes away under it. */

static unsigned int own[1024] __attribute__((aligned(4096)));
static unsigned int theirs[1024] __attribute__((aligned(4096)));

static unsigned long sum_of(const unsigned int *cells)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 1024; i++)
		sum += cells[i];
	return sum;
}

int main(int argc, char **argv)
{
	struct prof regions[2] = {{own, sizeof(own), (size_t)spin_start, 65536}};
	double (*spin_there)(double), mine, others;
	void *object;

	check(argc == 2, "usage: objects MODULE");
	check(sprofil(regions, 1, NULL, PROF_UINT) == 0, "sprofil");
	mine = spin(0.2);
	object = dlopen(argv[1], RTLD_NOW);
	check(object != NULL, "dlopen");
	*(void **)&spin_there = dlsym(object, "spin");
	check(spin_there != NULL && spin_there != spin, "dlsym");
	regions[1] = (struct prof){theirs, sizeof(theirs), *(size_t *)dlsym(object, "spin_start"),
				   65536};
	check(sprofil(regions, 2, NULL, PROF_UINT) == 0, "sprofil with the object");
	others = spin_there(0.3);
	check(dlclose(object) == 0, "dlclose");
	mine += spin(0.2);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	check_ticks(sum_of(own), mine);
	check_ticks(sum_of(theirs), others);
	return 0;
}
