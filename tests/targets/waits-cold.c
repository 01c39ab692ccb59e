// SPDX-License-Identifier: BSD-2-Clause
/* Waits for what begins or is not there yet, and says for how long as waits.c does: pages of a file
 * that is on the disk alone, a child that runs in the parent's memory, a lock that a thread meets
 * as the first thing of its life, and naps before and after another program is executed. waits-cold
 * FILE: FILE is written. */
#include "waits.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (1 << 20)
#define PAGE 4096

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static int fd;
static volatile char *mapped;

/* All of it leaves memory, once it is on the disk. */
static void cool(void)
{
	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		exit(1);
}

static void w_fault(void)
{
	for (int i = 0; i < SIZE; i += PAGE)
		(void)mapped[i];
}

static void w_pread(void)
{
	static char page[PAGE];

	for (int i = 0; i < SIZE; i += PAGE)
		if (pread(fd, page, PAGE, i) != PAGE)
			exit(1);
}

static void w_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		nap(50 * MS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void w_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void *w_born(void *context)
{
	report("w_born", "futex", waited(w_lock));
	return context;
}

static void w_before(void)
{
	nap(40 * MS);
}

static void w_after(void)
{
	nap(60 * MS);
}

static void write_file(void)
{
	static char page[PAGE] = "cold";

	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < SIZE; i += PAGE)
		if (fd < 0 || write(fd, page, PAGE) != PAGE)
			exit(1);
	cool();
	mapped = mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED || madvise((void *)mapped, SIZE, MADV_RANDOM) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM))
		exit(1);
}

int main(int argc, char **argv)
{
	pthread_t born;

	path = argv[1];
	if (argc > 2) {
		report("w_after", "clock_nanosleep", waited(w_after));
		return 0;
	}
	write_file();
	report("w_fault", "page_fault", waited(w_fault));
	(void)munmap((void *)mapped, SIZE);
	cool();
	report("w_pread", "pread64", waited(w_pread));
	report("w_vfork", "vfork", waited(w_vfork));
	pthread_mutex_lock(&mutex);
	pthread_create(&born, NULL, w_born, NULL);
	nap(60 * MS);
	pthread_mutex_unlock(&mutex);
	pthread_join(born, NULL);
	report("w_before", "clock_nanosleep", waited(w_before));
	execl("/proc/self/exe", "waits-cold", path, "again", NULL);
	return 1;
}
