/* SPDX-License-Identifier: BSD-2-Clause */
/* Four threads, each in a function of its own, one, two, three and four times as long: prints each
 * one's CPU time as its own clock has it, which is read once, for reading it is time that is the
 * kernel's. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static double cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds[4];

#define ROUNDS 200

#define THREAD(number, length)                                 \
	__attribute__((noinline)) long work_##number(long sum) \
	{                                                      \
		for (int i = 0; i < 200000; i++)               \
			sum += sum / ((sum & 15) | 1) + i;     \
		return sum;                                    \
	}                                                      \
	static void *run_##number(void *unused)                \
	{                                                      \
		volatile long sum = 1;                         \
		for (int i = 0; i < (length)*ROUNDS; i++)      \
			sum = work_##number(sum);              \
		seconds[number] = cpu();                       \
		return unused;                                 \
	}

THREAD(0, 1)
THREAD(1, 2)
THREAD(2, 3)
THREAD(3, 4)

int main(void)
{
	void *(*const run[])(void *) = {run_0, run_1, run_2, run_3};
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, run[i], NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 4; i++)
		printf("%f\n", seconds[i]);
	return 0;
}
