// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Linked with the C library's profil and sprofil, and called as that library cannot bear: it
 * prints what it counted. */

static unsigned short counters[32768];

static void spin(void)
{
	volatile unsigned long turns = 0;
	clock_t end = clock() + CLOCKS_PER_SEC / 5;

	do {
		for (int i = 0; i < 100000; i++)
			turns++;
	} while (clock() < end);
}

int main(void)
{
	size_t text = (size_t)spin & ~(size_t)0xfff;
	struct prof region = {counters, sizeof(counters), text, 65536};
	struct timeval tick = {0, 0};
	unsigned long sum = 0;

	for (int i = 0; i < 3; i++) {
		if (sprofil(&region, 1, &tick, PROF_USHORT))
			return 1;
	}
	if (profil(counters, sizeof(counters), text, 65536))
		return 1;
	spin();
	if (sprofil(NULL, 0, NULL, 0))
		return 1;
	for (size_t i = 0; i < 32768; i++)
		sum += counters[i];
	(void)printf("%ld us, %lu ticks\n", (long)tick.tv_usec, sum);
	return 0;
}
