/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks for the time and does nothing else: the vdso answers, without the kernel. */

#include "truth.h"

static void ask(long times)
{
	struct timespec now;

	for (long i = 0; i < times; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
}

int main(void)
{
	struct truth truth = {"vdso"};
	double start = truth_clock();

	while (truth_clock() - start < TRUTH_SECONDS)
		ask(200000);
	truth.seconds = truth_clock() - start;
	truth.runs = 1 + truth_switches();
	truth_print(&truth);
	return 0;
}
