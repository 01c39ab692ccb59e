/* SPDX-License-Identifier: BSD-2-Clause */
/* Forks while four threads call one(): the child calls it 7 times.  Prints how often the parent's
 * threads did. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int is_over;

__attribute__((noinline)) void one(void)
{
	__asm__ volatile("");
}

static void *run(void *counter)
{
	long *calls = counter;

	while (!is_over || !*calls) {
		one();
		++*calls;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	long calls[4] = {0};
	pid_t child;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, run, &calls[i]))
			return 1;
	while (!((volatile long *)calls)[0])
		;
	child = fork();
	if (!child) {
		for (int i = 0; i < 7; i++)
			one();
		return 0;
	}
	if (child < 0)
		return 2;
	waitpid(child, NULL, 0);
	is_over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", calls[0] + calls[1] + calls[2] + calls[3]);
	return 0;
}
