// SPDX-License-Identifier: BSD-2-Clause
#include <sys/time.h>
#include <unistd.h>

#include "truth.h"

/* As the manual of Linux 0.99 has it: buf is char, off is a scale below 2 or no bufsiz, and 0 is
 * always returned.  Its restriction is gone: the program may have an ITIMER_PROF. */

char buf[1024] __attribute__((aligned(2)));

static unsigned long sum_of(void)
{
	unsigned short *words = (unsigned short *)buf;
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 512; i++)
		sum += words[i];
	return sum;
}

/* A counter moves in between, but for the call that OFF stands for. */
static void check_off(int bufsiz, int scale)
{
	unsigned long before;

	check(profil(buf, sizeof(buf), (size_t)spin_start, 65536) == 0, "profil");
	(void)spin(0.05);
	check(profil(buf, (size_t)bufsiz, (size_t)spin_start, (unsigned)scale) == 0, "off");
	before = sum_of();
	(void)spin(0.05);
	check(before > 0 && sum_of() == before, "off counts nothing");
}

int main(void)
{
	double seconds;

	check(profil(buf, sizeof(buf), (size_t)spin_start, 65536) == 0, "profil");
	seconds = spin(0.4);
	check(profil(buf, sizeof(buf), 0, 0) == 0, "off");
	check_ticks(sum_of(), seconds);
	check_off(sizeof(buf), 0);
	check_off(sizeof(buf), 1);
	check_off(0, 65536);
	check(profil((char *)16, 64, 0, 65536) == 0, "always 0");
	(void)spin(0.05);
	check(profil(buf, 0, 0, 0) == 0, "off");
	return 0;
}
