/* SPDX-License-Identifier: BSD-2-Clause */
/* threads THREADS CALLS: each thread calls one() CALLS times, and two(), which calls one(). */
#include <pthread.h>
#include <stdlib.h>

static long calls;

__attribute__((noinline)) void one(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void two(void)
{
	one();
	__asm__ volatile("");
}

__attribute__((noinline)) static void *run(void *unused)
{
	for (long i = 0; i < calls; i++) {
		one();
		two();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	int count = atoi(argv[1]);

	calls = atol(argv[2]);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
