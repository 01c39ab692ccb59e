// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "truth.h"

/* As IRIX's manual has it: two 16-bit regions, the second inside the first, and the overflow bin.
 */

unsigned short outer[256], inner[256];
unsigned int wide[128], others;

static unsigned long sum_of(unsigned short *counters)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < 256; i++)
		sum += counters[i];
	return sum;
}

int main(void)
{
	struct prof regions[] = {
		{outer, sizeof(outer), (unsigned long)spin_start - 256, 0x8000},
		{inner, sizeof(inner), (unsigned long)spin_start, 0x8000},
	};
	struct prof fast[] = {
		{wide, sizeof(wide), (unsigned long)spin_start + 1024, 0x10000},
		{&others, sizeof(others), 0, 2},
	};
	struct timeval tick;
	double seconds;

	check(sprofil(regions, 2, &tick, PROF_USHORT) == 0, "sprofil");
	check(tick.tv_sec == 0 && tick.tv_usec == 1003, "tvp");
	seconds = spin(0.4);
	check(profil(outer, sizeof(outer), 0, 0) == 0, "off");
	check_ticks(sum_of(inner), seconds);
	check(sum_of(outer) < sum_of(inner) / 10, "the largest offset has it");

	check(sprofil(fast, 2, &tick, PROF_UINT | PROF_FAST) == 0, "PROF_FAST");
	seconds = spin(0.4);
	check(profil(outer, sizeof(outer), 0, 1) == 0, "off");
	check_ticks(others, seconds);

	check(profil(outer, sizeof(outer), (size_t)spin_start, 0x8000) == 0, "profil");
	inner[0] = 0;
	(void)spin(0.1);
	check(profil(outer, 0, 0, 0) == 0, "off");
	check(sum_of(outer) > 50, "profil counts");

	/* "A 0, indicating success, is always returned", and a bad buffer turns it off. */
	check(profil((unsigned short *)16, 64, (size_t)spin_start, 0x8000) == 0, "always 0");
	(void)spin(0.05);
	check(profil(outer, sizeof(outer), (size_t)spin_start, 0x20000) == 0, "always 0");
	check(sprofil(fast, -1, NULL, PROF_UINT) == -1 && errno == E2BIG, "E2BIG");
	check(sprofil((struct prof *)16, 1, NULL, PROF_UINT) == -1 && errno == EFAULT, "EFAULT");
	check(sprofil(fast, 2, (struct timeval *)16, PROF_UINT) == -1 && errno == EFAULT, "EFAULT");
	check(sprofil(fast, 2, NULL, PROF_FAST) == -1 && errno == EINVAL, "EINVAL: no width");
	fast[0].pr_scale = 0x20000;
	check(sprofil(fast, 2, NULL, PROF_UINT) == -1 && errno == EINVAL, "EINVAL: scale");
	return 0;
}
