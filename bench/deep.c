// SPDX-License-Identifier: BSD-2-Clause
/* deep SECONDS [DEPTH]: works at the end of DEPTH calls (33, those of the C library among them),
 * none of a function by itself, so that none folds. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define OUTSIDE 5 /* main and what calls it, and the work itself */

static volatile uint64_t kept;

__attribute__((noinline)) static void work(time_t until)
{
	uint64_t state = kept;

	do {
		for (int i = 0; i < 10000000; i++) {
			state = state * 6364136223846793005 + 1442695040888963407;
			__asm__ volatile("" : "+r"(state));
		}
	} while (time(NULL) < until);
	kept = state;
}

__attribute__((noinline)) static void odd(int depth, time_t until);

__attribute__((noinline)) static void even(int depth, time_t until)
{
	if (depth > 0)
		odd(depth - 1, until);
	else
		work(until);
	kept++;
}

__attribute__((noinline)) static void odd(int depth, time_t until)
{
	if (depth > 0)
		even(depth - 1, until);
	else
		work(until);
	kept += 2; /* two functions that are alike would be one */
}

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[2]) : 33;

	if (argc < 2 || depth <= OUTSIDE)
		return 2;
	even(depth - OUTSIDE - 1, time(NULL) + atoi(argv[1]));
	return 0;
}
