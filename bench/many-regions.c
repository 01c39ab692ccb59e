// SPDX-License-Identifier: BSD-2-Clause
/* many-regions COUNT MILLIONS: work under the C library's sprofil() as libprofil has it, with COUNT
 * regions of a page of cells, each behind the other, the work in the first.  Prints "TICKS CPU":
 * those that the work's region got, and the CPU time of the process. */
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/profil.h>

enum { CELLS = 1024, TEXT = 16384, SCALE = 0x4000 }; /* 16 bytes of text a cell of 32 bits */

static uint64_t process_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t millions = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, took, ticks = 0;
	struct prof *regions = calloc(count + 1, sizeof(*regions));
	uint32_t *cells = aligned_alloc(65536, (count + 15) / 16 * 16 * CELLS * sizeof(*cells));

	if (!count || !millions || !regions || !cells) {
		fprintf(stderr, "usage: many-regions COUNT MILLIONS\n");
		return 2;
	}
	memset(cells, 0, count * CELLS * sizeof(*cells));
	for (size_t i = 0; i < count; i++)
		regions[i] = (struct prof){cells + i * CELLS, CELLS * sizeof(*cells),
					   work_text() + i * TEXT, SCALE};
	if (sprofil(regions, (int)count, NULL, PROF_UINT)) {
		perror("many-regions: sprofil");
		return 77;
	}
	took = process_ns();
	work_run(0, millions);
	took = process_ns() - took;
	sprofil(NULL, 0, NULL, 0);
	for (size_t i = 0; i < CELLS; i++)
		ticks += cells[i];
	printf("%ju %ju\n", (uintmax_t)ticks, (uintmax_t)took);
	free(cells);
	free(regions);
	return 0;
}
