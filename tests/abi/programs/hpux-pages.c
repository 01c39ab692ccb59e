// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/profil.h>

#include "truth.h"

/* HP-UX's cells of four bytes by each engine, the overflow bin the last cell of the same pages; and
 * a buffer that is none, the same error by each. */

#define PAGES 65536
#define CELLS (PAGES / sizeof(unsigned))

static unsigned cells[CELLS] __attribute__((aligned(PAGES)));

int main(void)
{
	struct prof regions[] = {
		{cells, sizeof(cells) - sizeof(*cells), spin_start, 65536},
		{&cells[CELLS - 1], sizeof(*cells), 0, 2},
	};
	struct prof bad = {(void *)16, 4096, spin_start, 65536};
	struct prof read_only = {(void *)spin_start, 4096, spin_start, 65536};
	unsigned long sum = 0;
	double seconds;

	check(sprofil(regions, 2, NULL, PROF_UINT) == 0, "sprofil");
	seconds = spin(0.4);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	for (unsigned i = 0; i < CELLS - 1; i++)
		sum += cells[i];
	check_ticks(sum, seconds);
	check(cells[CELLS - 1] <= sum / 10, "overflow");
	check(sprofil(&bad, 1, NULL, PROF_UINT) == -1 && errno == EFAULT, "not mapped");
	check(sprofil(&read_only, 1, NULL, PROF_UINT) == -1 && errno == EFAULT, "read-only");
	return 0;
}
