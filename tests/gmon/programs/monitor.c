/* SPDX-License-Identifier: BSD-2-Clause */
/* The seventh edition's monitor(3): prints the CPU time that work() had, and its address. */
#include <stdio.h>
#include <time.h>

void monitor(void (*low)(void), void (*high)(void), short *buffer, int size, int calls);

extern char etext[], __executable_start[];

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) long work(long sum)
{
	for (int i = 0; i < 1000000; i++)
		sum += sum / ((sum & 15) | 1) + i;
	return sum;
}

int main(void)
{
	static short buffer[65536] __attribute__((aligned(8)));
	volatile long sum = 1;
	double began = cpu();
	int calls = 0;

	monitor((void (*)(void))__executable_start, (void (*)(void))etext, buffer, 65536, 100);
	for (; cpu() - began < 0.3; calls++)
		sum = work(sum);
	printf("%f %d %lu\n", cpu() - began, calls, (unsigned long)work);
	monitor(0, 0, 0, 0, 0);
	return 0;
}
