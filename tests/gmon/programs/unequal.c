/* SPDX-License-Identifier: BSD-2-Clause */
/* Two callers of one function, of which the second's calls cost 50 times as much: "unequal N M"
 * makes N calls of the first kind and M of the second. */
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sink;

KEEP void work(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink = sink * 3 + (unsigned long)i;
}

KEEP void cheap(long calls)
{
	for (long i = 0; i < calls; i++)
		work(2000);
}

KEEP void dear(long calls)
{
	for (long i = 0; i < calls; i++)
		work(100000);
}

int main(int argc, char **argv)
{
	cheap(atol(argv[1]));
	dear(atol(argv[2]));
	return 0;
}
