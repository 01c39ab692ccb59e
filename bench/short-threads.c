// SPDX-License-Identifier: BSD-2-Clause
/* short-threads [COUNT [MICROSECONDS]]: threads that live one after the other and burn a little CPU
 * time each: 600 of 2 ms.  A clock that starts with each thread loses the rest of every one.  They
 * take from half to one and a half times the time, so that no clock's period happens to divide it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *burn(void *ns)
{
	uint64_t end = cpu_ns() + *(const uint64_t *)ns;

	while (cpu_ns() < end)
		for (int i = 0; i < 1000; i++)
			__asm__ volatile("");
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 600;
	uint64_t ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 2000) * 1000;

	for (unsigned long i = 0; i < count; i++) {
		uint64_t share = ns / 2 + ns * i / count;
		pthread_t thread;
		int code = pthread_create(&thread, NULL, burn, &share);

		if (code) {
			fprintf(stderr, "short-threads: thread: %s\n", strerror(code));
			return 1;
		}
		pthread_join(thread, NULL);
	}
	return 0;
}
