// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include <sys/profil.h>
#include <sys/time.h>

#include "truth.h"

/* A well-known test of sprofil(): regions nested and overlapping, far from any text too, in no
 * order, the overflow bin last. */

unsigned int taken[10][4096 / sizeof(unsigned int)], overflow;

int main(void)
{
	struct prof regions[] = {
		{taken[0], 64, 0x80001000, 65536},
		{taken[1], 128, 0x80000000, 65536},
		{taken[2], 4096, 0x80000040, 32768},
		{taken[3], 64, 0x80000040, 65536},
		{taken[4], 4096, 0x7fffffc0, 65536},
		{taken[5], 8, 0x80000fff, 16384},
		{taken[6], 4096, (size_t)spin_start - 2048, 65536},
		{taken[7], 512, (size_t)spin_start, 65536},
		{taken[8], 4096, (size_t)spin_start - 1024, 65536},
		{taken[9], 0, (size_t)spin_start + 16, 65536},
		{&overflow, sizeof(overflow), 0, 2},
	};
	struct timeval tick;
	unsigned long sum = 0, rest = overflow;
	double seconds;
	int i, j;

	check(sprofil(regions, 11, &tick, PROF_UINT) == 0, "sprofil");
	seconds = spin(0.4);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	rest = overflow;
	for (i = 0; i < 10; i++) {
		for (j = 0; j < 1024; j++) {
			sum += i == 7 ? taken[i][j] : 0;
			rest += i == 7 ? 0 : taken[i][j];
		}
	}
	check_ticks(sum, seconds);
	check(rest < sum / 10, "the largest offset has it");
	return 0;
}
