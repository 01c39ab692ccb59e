// SPDX-License-Identifier: BSD-2-Clause
/* Does what events come of, so often: PAGES pages are touched for the first time by a thread, by
 * another one and by a child; the process asks CALLS times for its parent's number, and sleeps as
 * often.  Prints how many faults the kernel has counted since, and how often the process left a
 * CPU while it was to sleep. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES 3000
#define CALLS 1000

static size_t page;

__attribute__((noinline)) static void touch(volatile char *memory)
{
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
}

static char *some_memory(void)
{
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED || madvise(memory, PAGES * page, MADV_NOHUGEPAGE))
		exit(2);
	return memory;
}

__attribute__((noinline)) static void *toucher(void *nothing)
{
	touch(some_memory());
	return nothing;
}

__attribute__((noinline)) static void ask(void)
{
	for (int i = 0; i < CALLS; i++)
		(void)syscall(SYS_getppid);
}

static long switches(void)
{
	struct rusage own;

	(void)getrusage(RUSAGE_SELF, &own);
	return own.ru_nvcsw + own.ru_nivcsw;
}

__attribute__((noinline)) static void nap(void)
{
	for (int i = 0; i < CALLS; i++)
		(void)nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

int main(void)
{
	struct rusage begun, own, children;
	long before;
	pthread_t thread;
	int status;

	page = (size_t)sysconf(_SC_PAGESIZE);
	(void)getrusage(RUSAGE_SELF, &begun);
	(void)toucher(NULL);
	if (pthread_create(&thread, NULL, toucher, NULL) || pthread_join(thread, NULL))
		return 2;
	if (!fork()) {
		(void)toucher(NULL);
		_exit(0);
	}
	(void)wait(&status);
	ask();
	before = switches();
	nap();
	before = switches() - before;
	(void)getrusage(RUSAGE_SELF, &own);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	(void)printf("touched=%d calls=%d faults=%ld switches=%ld\n", 3 * PAGES, CALLS,
		     own.ru_minflt + own.ru_majflt - begun.ru_minflt - begun.ru_majflt +
			     children.ru_minflt + children.ru_majflt,
		     before);
	return status;
}
