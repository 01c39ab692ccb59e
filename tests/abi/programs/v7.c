/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include "truth.h"

/* As the seventh edition's manual has it, in its C.  0177777 is one cell for two bytes. */

#define NCELLS 512

short buf[NCELLS];

#pragma GCC diagnostic ignored "-Wold-style-definition"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

static long total(cells, n)
short *cells;
int n;
{
	register long sum;

	sum = 0;
	while (--n >= 0)
		sum += *cells++ & 0177777;
	return sum;
}

int main(argc, argv)
int argc;
char **argv;
{
	double seconds;

	if (profil(buf, sizeof(buf), (long)spin_start, 0177777) < 0) {
		perror(argv[0]);
		return argc;
	}
	seconds = spin(0.4);
	profil(0, 0, 0, 0);
	check_ticks((unsigned long)total(buf, NCELLS), seconds);
	return 0;
}
