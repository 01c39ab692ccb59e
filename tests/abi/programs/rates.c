// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <sys/profil.h>
#include <sys/time.h>

#include "truth.h"

/* When nobody asks for another, the tick is the system's own: IRIX's 10 ms, with PROF_FAST 1 ms,
 * and the mains' 60th of a second in the seventh edition. */

extern int profil_v7(void *buffer, size_t size, unsigned long offset, unsigned int scale);

static unsigned short cells[2048] __attribute__((aligned(4096)));

static unsigned long taken(void)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 2048; i++) {
		sum += cells[i];
		cells[i] = 0;
	}
	return sum;
}

static void check_irix(unsigned flags, long tick_us, const char *rate, double duration)
{
	struct prof region = {cells, sizeof(cells), (__psunsigned_t)spin_start, 0x8000};
	struct timeval tick;
	double seconds;

	(void)unsetenv("PROFIL_HZ");
	check(sprofil(&region, 1, &tick, flags) == 0, "sprofil");
	seconds = spin(duration);
	check(sprofil(&region, 0, NULL, flags) == 0, "off");
	check(tick.tv_sec == 0 && tick.tv_usec == tick_us, "tvp");
	(void)setenv("PROFIL_HZ", rate, 1);
	check_ticks(taken(), seconds);
}

static void check_v7(void)
{
	double seconds;

	(void)unsetenv("PROFIL_HZ");
	check(profil_v7(cells, sizeof(cells), (unsigned long)spin_start, 0177777) == 0, "profil");
	seconds = spin(5);
	check(profil_v7(0, 0, 0, 0) == 0, "off");
	(void)setenv("PROFIL_HZ", "60", 1);
	check_ticks(taken(), seconds);
}

int main(void)
{
	check_irix(PROF_USHORT, 10000, "100", 3);
	check_irix(PROF_USHORT | PROF_FAST, 1000, "1000", 0.4);
	check_v7();
	return 0;
}
