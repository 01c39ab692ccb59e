// SPDX-License-Identifier: BSD-2-Clause
#include <unistd.h>

#include "truth.h"

/* As SVR4's manual has it: profil() returns nothing, and a counter that would pass 32767 ends it.
 */

unsigned short counters[256];

int main(void)
{
	unsigned long sum = 0;
	double seconds;
	int i;

	profil(counters, sizeof(counters), (size_t)spin_start, 0x8000);
	seconds = spin(0.4);
	profil(counters, sizeof(counters), (size_t)spin_start, 0);
	for (i = 0; i < 256; i++)
		sum += counters[i];
	check_ticks(sum, seconds);

	for (i = 0; i < 256; i++)
		counters[i] = 32767;
	profil(counters, sizeof(counters), (size_t)spin_start, 0x8000);
	(void)spin(0.1);
	for (i = 0; i < 256; i++)
		check(counters[i] == 32767, "a full counter ends it");
	for (i = 0; i < 256; i++)
		counters[i] = 0;
	(void)spin(0.1);
	for (i = 0; i < 256; i++)
		check(counters[i] == 0, "for good");
	profil(counters, 0, 0, 1);
	return 0;
}
