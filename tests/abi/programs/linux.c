// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>
#include <sys/profil.h>
#include <unistd.h>

#include "truth.h"

/* As glibc has it, and each thing that its own does not do: a second call that replaces the first,
 * a third, a pc below the lowest region. */

unsigned short counters[512];
unsigned int wide[512], overflow;

int main(void)
{
	struct prof regions[] = {
		{&overflow, sizeof(overflow), 0, 2}, /* anywhere */
		{wide, sizeof(wide), (size_t)spin_start, 65536},
	};
	struct prof above = {wide, sizeof(wide), (size_t)spin_start + 4096, 65536};
	struct timeval tick;
	unsigned long sum = 0;
	double seconds;
	int i;

	for (i = 0; i < 3; i++) {
		memset(counters, 0, sizeof(counters));
		check(profil(counters, sizeof(counters), (size_t)spin_start, 65536) == 0, "profil");
	}
	seconds = spin(0.4);
	check(profil(0, 0, 0, 0) == 0, "off");
	for (i = 0; i < 512; i++)
		sum += counters[i];
	check_ticks(sum, seconds);

	for (i = 0; i < 3; i++)
		check(sprofil(&above, 1, &tick, PROF_UINT) == 0, "sprofil");
	(void)spin(0.05);
	check(sprofil(regions, 2, &tick, PROF_UINT) == 0, "sprofil again");
	check(tick.tv_usec == 1003, "tvp");
	seconds = spin(0.4);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	check(sprofil(NULL, 0, NULL, 0) == 0, "off twice");
	for (i = 0, sum = 0; i < 512; i++)
		sum += wide[i];
	check_ticks(sum + overflow, seconds);
	check(overflow < sum / 10, "overflow takes the rest");
	return 0;
}
