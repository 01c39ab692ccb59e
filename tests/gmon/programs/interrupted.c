/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls by one thread that a signal interrupts wherever it is, whose handler makes the same calls.
 * Prints how many there were, of both. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define CALLS 20000000L

static volatile long handled;
static volatile int is_done;

__attribute__((noinline, noclone)) void hit(void)
{
	__asm__ volatile("");
}

__attribute__((noinline, noclone)) void call(void)
{
	hit();
	__asm__ volatile("");
}

static void handler(int number)
{
	call();
	handled++;
}

static void *storm(void *target)
{
	while (!is_done)
		pthread_kill(*(pthread_t *)target, SIGUSR1);
	return NULL;
}

int main(void)
{
	struct sigaction action = {.sa_handler = handler};
	pthread_t self = pthread_self(), other;

	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&other, NULL, storm, &self))
		return 1;
	for (long i = 0; i < CALLS; i++)
		call();
	is_done = 1;
	pthread_join(other, NULL);
	printf("%ld\n", CALLS + handled);
	return 0;
}
