/* SPDX-License-Identifier: BSD-2-Clause */
/* A library: spin_library() works for some seconds of the thread's CPU time, and calls work_step().
 */
#include <time.h>

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) long work_step(long sum)
{
	for (int i = 0; i < 100000; i++)
		sum += sum / ((sum & 15) | 1) + i;
	return sum;
}

double spin_library(double seconds)
{
	double began = cpu();
	volatile long sum = 1;

	while (cpu() - began < seconds)
		sum = work_step(sum);
	return cpu() - began;
}
