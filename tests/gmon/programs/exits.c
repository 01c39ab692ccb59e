/* SPDX-License-Identifier: BSD-2-Clause */
/* exits: ends while another thread is in the first of fork's handlers, which is its own.  As a
 * LIBRARY it is what ends last, and takes its time. */
#include <pthread.h>
#include <unistd.h>

#ifdef LIBRARY
void slow(void)
{
}

__attribute__((destructor)) static void end(void)
{
	usleep(500000);
}
#else
void slow(void);
static int gate[2];

static void prepare(void)
{
	if (write(gate[1], "", 1) == 1)
		usleep(200000);
}

static void *have_child(void *unused)
{
	if (!fork())
		_exit(0);
	pause();
	return unused;
}

int main(void)
{
	pthread_t thread;
	char byte;

	if (pipe(gate) || pthread_atfork(prepare, NULL, NULL) ||
	    pthread_create(&thread, NULL, have_child, NULL) || read(gate[0], &byte, 1) != 1)
		return 1;
	slow();
	return 0;
}
#endif
