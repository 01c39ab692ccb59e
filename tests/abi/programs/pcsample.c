// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <pcsample.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

/* As its manual has it: pcsample() stores the program counter at each tick, until the array is full
 * or the next call, which says how many there were. */

#define ROOM 4096

static uintptr_t samples[ROOM + 1];

static void forget(void)
{
	memset(samples, 0, sizeof(samples));
}

static unsigned long in_spin(long count)
{
	unsigned long found = 0;

	for (long i = 0; i < count; i++)
		found += samples[i] - (uintptr_t)spin_start < spin_size;
	return found;
}

static void each_tick_is_stored(void)
{
	double seconds;
	long count;

	check(pcsample(samples, ROOM) == 0, "the first call returns 0");
	seconds = spin(0.4);
	count = pcsample(samples, 0);
	check(count > 0 && count < ROOM, "the second one returns how many");
	check_ticks(in_spin(count), seconds);
	for (long i = 0; i < count; i++)
		check(samples[i] != 0, "each is a program counter");
	for (long i = count; i < ROOM + 1; i++)
		check(samples[i] == 0, "none but those is written");
	(void)spin(0.1);
	check(samples[count] == 0, "0 ends it");
	check(pcsample(NULL, 0) == 0, "and nothing was stored since");
}

static void a_full_array_ends_it(void)
{
	forget();
	check(pcsample(samples, 20) == 0, "pcsample");
	(void)spin(0.2);
	check(pcsample(samples + 20, 20) == 20, "no more than there is room for");
	check(samples[20] == 0 && samples[19] != 0, "nothing beyond");
	(void)spin(0.2);
	check(pcsample(NULL, 0) == 20, "the next array is its own");
}

static void *spin_too(void *seconds)
{
	*(double *)seconds = spin(*(double *)seconds);
	return NULL;
}

static void threads_share_the_array(void)
{
	double seconds[3] = {0.3, 0.3, 0.3};
	pthread_t threads[3];

	forget();
	check(pcsample(samples, ROOM) == 0, "pcsample");
	for (int i = 0; i < 3; i++)
		check(!pthread_create(&threads[i], NULL, spin_too, &seconds[i]), "pthread_create");
	for (int i = 0; i < 3; i++)
		check(!pthread_join(threads[i], NULL), "pthread_join");
	check(pcsample(NULL, 0) > 0, "threads");
	check(in_spin(ROOM) > 100, "each thread's are in it");
}

static int be_child(void)
{
	long count;

	(void)spin(0.2);
	count = pcsample(NULL, 0);
	return count > 0 && (long)in_spin(count) > count / 2 ? 0 : 1;
}

static void a_child_goes_on(void)
{
	uintptr_t first;
	int status;
	pid_t pid;
	long count;

	forget();
	check(pcsample(samples, ROOM) == 0, "pcsample");
	(void)spin(0.1);
	pid = fork();
	if (!pid)
		_exit(be_child());
	check(waitpid(pid, &status, 0) == pid && status == 0, "the child's goes on");
	(void)spin(0.1);
	count = pcsample(NULL, 0);
	first = samples[0];
	check(count > 0 && first != 0, "the parent's goes on");
	check(in_spin(count) == in_spin(ROOM), "the child writes to its own");
}

static void a_fault_ends_it(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t *at = pages + page / sizeof(*at) - 5;

	check(pages != MAP_FAILED && !mprotect(pages + page / sizeof(*at), page, PROT_NONE),
	      "mmap");
	check(pcsample(at, 100) == 0, "pcsample");
	(void)spin(0.2);
	check(pcsample(NULL, 100) == 5, "it ends where the memory does, and the program lives");
	(void)spin(0.1);
	check(pcsample(NULL, 0) == 0, "no array at all");
	(void)munmap(pages, 2 * page);
}

static void it_and_profil_exclude_each_other(void)
{
	unsigned short counters[256] = {0};
	unsigned long sum = 0;

	forget();
	check(pcsample(samples, ROOM) == 0, "pcsample");
	profil(counters, sizeof(counters), (size_t)spin_start, 0x8000);
	(void)spin(0.2);
	check(in_spin(ROOM) == 0, "profil ends pcsample");
	check(pcsample(samples, ROOM) == 0, "which has forgotten");
	for (int i = 0; i < 256; i++)
		sum += counters[i];
	memset(counters, 0, sizeof(counters));
	(void)spin(0.2);
	check(sum > 100 && pcsample(NULL, 0) > 100, "pcsample ends profil");
	for (int i = 0; i < 256; i++)
		check(counters[i] == 0, "for good");
}

static void its_errors(void)
{
	check(pcsample(samples, ROOM) == 0, "pcsample");
	errno = 0;
	check(pcsample(samples, -1) == -1 && errno == EINVAL, "EINVAL");
	(void)spin(0.1);
	check(pcsample(NULL, 0) > 50, "an error changes nothing");
	check(setenv("PROFIL_ENGINE", "kernel", 1) == 0, "setenv");
	errno = 0;
	check(pcsample(samples, ROOM) == -1 && errno == EOPNOTSUPP, "not by the kernel engine");
	check(setenv("PROFIL_ENGINE", "steam", 1) == 0, "setenv");
	errno = 0;
	check(pcsample(samples, ROOM) == -1 && errno == ENOSYS, "not by steam");
}

int main(void)
{
	each_tick_is_stored();
	a_full_array_ends_it();
	threads_share_the_array();
	a_child_goes_on();
	a_fault_ends_it();
	it_and_profil_exclude_each_other();
	its_errors();
	return 0;
}
