// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "truth.h"

/* What BSD's profiling runtime does with profil(): a cell for four bytes of all text, switched on
 * at the start and off before it is written as 4.4BSD's gmon.out, for gprof to read. */

struct header {
	u_long low, high;
	int size, version, rate, spare[3];
};

extern char __executable_start[], etext[];

__attribute__((noinline)) static double heavy(void)
{
	return spin(0.6);
}

int main(int argc, char **argv)
{
	u_long low = (u_long)__executable_start & ~3ul, high = ((u_long)etext + 3) & ~3ul;
	size_t size = (high - low) / 2;
	struct header header = {
		low, high, (int)(size + sizeof(header)), 0x51879, atoi(getenv("PROFIL_HZ")), {0}};
	char *samples = calloc(size, 1);
	double seconds;
	FILE *file;

	check(argc == 2 && samples, "usage: gmon FILE");
	check(profil(samples, size, low, 0x8000) == 0, "profil");
	seconds = heavy();
	check(profil(NULL, 0, 0, 0) == 0, "off");
	file = fopen(argv[1], "w");
	check(file && fwrite(&header, sizeof(header), 1, file) == 1 &&
		      fwrite(samples, size, 1, file) == 1 && !fclose(file),
	      "gmon.out");
	(void)printf("%.3f\n", seconds);
	free(samples);
	return 0;
}
