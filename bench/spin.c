// SPDX-License-Identifier: BSD-2-Clause
/* spin MILLIONS [THREADS]: the same work every time, without a system call; prints what it cost,
 * "ELAPSED CPU" in nanoseconds. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS_MAX 1024

static void *spin(void *millions)
{
	uint64_t steps = *(const uint64_t *)millions * 1000000;
	uint64_t state = steps;

	while (steps--) {
		state = state * 6364136223846793005 + 1442695040888963407;
		__asm__ volatile("" : "+r"(state));
	}
	return NULL;
}

static uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t millions = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	uint64_t began = now(CLOCK_MONOTONIC);
	pthread_t others[THREADS_MAX];

	if (!threads || threads > THREADS_MAX)
		return 2;
	for (unsigned long i = 1; i < threads; i++) {
		int code = pthread_create(&others[i], NULL, spin, &millions);

		if (code) {
			fprintf(stderr, "spin: thread: %s\n", strerror(code));
			return 1;
		}
	}
	spin(&millions);
	for (unsigned long i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	printf("%ju %ju\n", (uintmax_t)(now(CLOCK_MONOTONIC) - began),
	       (uintmax_t)now(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
