// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#include "truth.h"

/* As 4.4BSD's manual has it: each bin two bytes of text at a scale of 65536. */

char samples[4096] __attribute__((aligned(2)));

int main(void)
{
	unsigned short *bins = (unsigned short *)samples;
	unsigned long sum = 0;
	double seconds;
	int i;

	check(profil(samples, sizeof(samples), (u_long)spin_start, 32768) == 0, "profil");
	seconds = spin(0.4);
	check(profil(samples, sizeof(samples), (u_long)spin_start, 0) == 0, "off");
	for (i = 0; i < (int)spin_size / 4; i++)
		sum += bins[i];
	check_ticks(sum, seconds);
	(void)spin(0.02);
	for (i = 0; i < (int)spin_size / 4; i++)
		sum -= bins[i];
	check(sum == 0, "off counts nothing");

	check(profil(samples, sizeof(samples), 0, 65537) == -1 && errno == EINVAL, "EINVAL");
	check(profil((char *)16, sizeof(samples), 0, 65536) == -1 && errno == EFAULT, "EFAULT");
	return 0;
}
