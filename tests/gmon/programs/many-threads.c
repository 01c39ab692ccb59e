/* SPDX-License-Identifier: BSD-2-Clause */
/* many-threads COUNT: threads that come and go, four at a time, and call one() each.  Prints how
 * many KiB were mapped after a tenth of them, and after all. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) void *one(void *unused)
{
	__asm__ volatile("");
	return unused;
}

static long mapped(void)
{
	FILE *status = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!status || fscanf(status, "%ld", &pages) != 1)
		exit(1);
	fclose(status);
	return pages * 4;
}

int main(int argc, char **argv)
{
	long count = atol(argv[1]), early = 0;
	pthread_t threads[4];

	for (long i = 0; i < count; i += 4) {
		for (int j = 0; j < 4; j++)
			if (pthread_create(&threads[j], NULL, one, NULL))
				return 1;
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
		if (i == count / 10)
			early = mapped();
	}
	printf("%ld %ld\n", early, mapped());
	return 0;
}
