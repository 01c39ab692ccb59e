// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "truth.h"

/* As HP-UX's manual has it: regions in ascending order, an overflow descriptor at the end. */

unsigned long long counters[128], before[16], overflow;
unsigned short small[256];

int main(void)
{
	struct prof regions[] = {
		{before, sizeof(before), spin_start - 1024, 65536},
		{counters, sizeof(counters), spin_start, 131072},
		{&overflow, sizeof(overflow), 0, 2},
	};
	struct timeval tick;
	unsigned long sum = 0;
	double seconds;
	int i;

	check(sprofil(regions, 3, &tick, PROF_UINT64) == 0, "sprofil");
	seconds = spin(0.4);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	check(tick.tv_sec == 0 && tick.tv_usec == 1003, "tvp");
	for (i = 0; i < 128; i++)
		sum += (unsigned long)counters[i];
	check_ticks(sum, seconds);
	check(overflow <= sum / 10, "overflow");

	check(sprofil(regions, -1, &tick, PROF_UINT) == -1 && errno == E2BIG, "E2BIG");
	check(sprofil(regions, (int)sysconf(_SC_PROFIL_MAX) + 1, &tick, PROF_UINT) == -1 &&
		      errno == E2BIG,
	      "E2BIG");
	check(sprofil((struct prof *)16, 1, &tick, PROF_UINT) == -1 && errno == EFAULT, "EFAULT");
	check(sprofil(regions, 3, &tick, 0) == -1 && errno == EINVAL, "EINVAL");

	/* profil() returns nothing and saturates. */
	for (i = 0; i < 256; i++)
		small[i] = 65530;
	profil(small, sizeof(small), (size_t)spin_start, 32768);
	(void)spin(0.1);
	profil(small, sizeof(small), (size_t)spin_start, 0);
	sum = 0;
	for (i = 0; i < 256; i++) {
		check(small[i] >= 65530, "saturates");
		sum += small[i] == 65535;
	}
	check(sum > 0, "a full cell");
	return 0;
}
