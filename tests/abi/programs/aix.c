// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <mon.h>
#include <unistd.h>

#include "truth.h"

/* As AIX's manual has it: only the low 16 bits of the scale count. */

unsigned short counters[512];
HISTCOUNTER space[1024];

int main(void)
{
	unsigned long sum = 0;
	double seconds;
	int i;

	check(profil(counters, sizeof(counters), (unsigned long)spin_start, 0x57fff) == 0,
	      "profil");
	seconds = spin(0.4);
	check(profil(counters, 0, 0, 0) == 0, "off");
	for (i = 0; i < 512; i++)
		sum += counters[i];
	check_ticks(sum, seconds);
	check(profil((void *)16, 64, 0, 2) == -1 && errno == EFAULT, "EFAULT");

	/* The other form, with ranges in one space. */
	{
		struct prof ranges[] = {
			{spin_start - 512, spin_start, space, 512, -1u},
			{spin_start, spin_start + spin_size, space + 256, 1024, -1u},
			{0, 0, 0, 0, 0},
		};

		check(profil(ranges, -1, 0, 0) == 0, "ranges");
		seconds = spin(0.4);
		check(profil(counters, 0, 0, 0) == 0, "off");
		for (i = 256, sum = 0; i < 1024; i++)
			sum += space[i];
		check_ticks(sum, seconds);
		ranges[1].p_high = ranges[0].p_low;
		check(profil(ranges, -1, 0, 0) == -1 && errno == EINVAL, "not ascending");
		check(profil((void *)16, -1, 0, 0) == -1 && errno == EFAULT, "no array");
	}
	return 0;
}
