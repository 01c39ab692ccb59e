// SPDX-License-Identifier: BSD-2-Clause
#include <sys/mman.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "truth.h"

/* "Profiling is turned off if a buff update would cause a memory fault": a buffer that is unmapped
 * or made read-only meanwhile.  The program lives, and nothing is written to what comes in its
 * place. */

#define SIZE 65536

static unsigned short *map(void *where)
{
	int fixed = where ? MAP_FIXED : 0;
	void *buffer = mmap(where, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);

	check(buffer != MAP_FAILED, "mmap");
	return buffer;
}

static unsigned long sum_of(const unsigned short *cells)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < SIZE / 2; i++)
		sum += cells[i];
	return sum;
}

static unsigned short *begin(void)
{
	unsigned short *cells = map(NULL);

	check(profil(cells, SIZE, (size_t)spin_start, 0x8000) == 0, "profil");
	(void)spin(0.1);
	check(sum_of(cells) > 0, "it counts");
	return cells;
}

static void try_unmapped(void)
{
	unsigned short *cells = begin();

	check(munmap(cells, SIZE) == 0, "munmap");
	(void)spin(0.1);
	(void)map(cells);
	(void)spin(0.1);
	check(sum_of(cells) == 0, "what lies there now is not written to");
	check(profil(cells, 0, 0, 0) == 0, "off");
	check(sum_of(cells) == 0, "nor by what ends it");
}

static void try_readonly(void)
{
	unsigned short *cells = begin();
	unsigned long before;

	check(mprotect(cells, SIZE, PROT_READ) == 0, "mprotect");
	before = sum_of(cells);
	(void)spin(0.1);
	check(sum_of(cells) == before, "what is read-only is not written to");
	check(mprotect(cells, SIZE, PROT_READ | PROT_WRITE) == 0, "mprotect");
	(void)spin(0.1);
	check(sum_of(cells) == before, "it does not begin again by itself");
	check(profil(cells, 0, 0, 0) == 0, "off");
	check(sum_of(cells) == before, "it has ended");

	check(profil(cells, SIZE, (size_t)spin_start, 0x8000) == 0, "profil");
	(void)spin(0.1);
	check(profil(cells, 0, 0, 0) == 0, "off");
	check(sum_of(cells) > before, "a new call counts again");
}

static void try_inaccessible(void)
{
	unsigned short *cells = begin();
	unsigned long before;

	check(mprotect(cells, SIZE, PROT_NONE) == 0, "mprotect");
	(void)spin(0.1);
	check(mprotect(cells, SIZE, PROT_READ | PROT_WRITE) == 0, "mprotect");
	before = sum_of(cells);
	(void)spin(0.1);
	check(sum_of(cells) == before, "it does not begin again by itself");
	check(profil(cells, 0, 0, 0) == 0, "off");
}

/* Of two regions the first is for low addresses, where no program has code: that its buffer goes
 * disturbs nobody.  When the other one's goes all is over, and a new call begins. */
static void try_one_of_two(void)
{
	unsigned short *unused = map(NULL), *cells = map(NULL);
	struct prof regions[2] = {
		{unused, SIZE, 4096, 65536},
		{cells, SIZE, (__psunsigned_t)spin_start, 0x8000},
	};
	unsigned long before;

	check(sprofil(regions, 2, NULL, PROF_USHORT) == 0, "sprofil");
	check(munmap(unused, SIZE) == 0, "munmap");
	(void)spin(0.1);
	before = sum_of(cells);
	check(before > 0, "the other region counts");
	(void)spin(0.1);
	check(sum_of(cells) > before, "and goes on");
	check(mprotect(cells, SIZE, PROT_READ) == 0, "mprotect");
	before = sum_of(cells);
	(void)spin(0.1);
	check(sum_of(cells) == before, "until its own is gone");
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	check(munmap(cells, SIZE) == 0, "munmap");
}

int main(void)
{
	try_unmapped();
	try_readonly();
	try_inaccessible();
	try_one_of_two();
	return 0;
}
