// SPDX-License-Identifier: BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../refuse.h"
#include "profil.h"
#include "truth.h"

/* A program that closes whatever it finds, as daemons do, and opens files of its own under the same
 * numbers: it goes on being measured, new threads and all, and its files stay open.  With an
 * argument it is in a container where no thread may have descriptors of its own. */

#define PAGES 65536
#define OWN 64

static int confined;
static uint32_t cells[PAGES / 4] __attribute__((aligned(PAGES)));

/* Which file stands behind each of the numbers. */
static ino_t own[OWN];

static unsigned long sum_of(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < PAGES / 4; i++)
		sum += __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
	return sum;
}

static size_t descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	size_t count = 0;

	check(list != NULL, "/proc/self/fd");
	while (readdir(list))
		count++;
	(void)closedir(list);
	return count;
}

static void confine(void)
{
	confined = 1;
	check(refuse(SYS_close_range, SYS_unshare) == 0, "seccomp");
}

static void close_everything(void)
{
	(void)syscall(SYS_close_range, 3U, ~0U, 0);
	for (int fd = 3; fd < 1024; fd++)
		(void)close(fd);
}

static void open_own(void)
{
	struct stat stat;

	for (int i = 0; i < OWN; i++) {
		check(memfd_create("own", MFD_CLOEXEC) >= 0, "a file");
		/* Where they are shared, one may be looked for threads with just then. */
		check(confined || fcntl(4 + i, F_GETFD) < 0, "numbers that were closed");
	}
	for (int i = 0; i < OWN; i++)
		own[i] = fstat(3 + i, &stat) == 0 ? stat.st_ino : 0;
}

static void check_own(void)
{
	struct stat stat;

	for (int i = 0; i < OWN; i++)
		check(!own[i] || (fstat(3 + i, &stat) == 0 && stat.st_ino == own[i]),
		      "its file is there");
	check(confined || fcntl(3 + OWN, F_GETFD) < 0, "and no other");
}

static void *spin_in_thread(void *seconds)
{
	*(double *)seconds = spin(0.3);
	return NULL;
}

static double spin_twice(void)
{
	double here, there = 0;
	pthread_t thread;

	check(pthread_create(&thread, NULL, spin_in_thread, &there) == 0, "a thread");
	here = spin(0.3);
	check(pthread_join(thread, NULL) == 0, "its end");
	return here + there;
}

static struct profil_measurement *start(void)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, cells, PAGES / 4, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	check(profil_start(measurement) == 0, "profil_start");
	if (confined)
		check(!strcmp(profil_engine(measurement), "timer") &&
			      strstr(profil_why(measurement), "descriptors") != NULL,
		      "the timer engine, for it keeps no descriptor");
	return measurement;
}

/* The child's engine is one of its own, and has nothing to do with those numbers either. */
static void in_child(struct profil_measurement *measurement)
{
	unsigned long before = sum_of();
	double seconds = spin(0.3);

	check(profil_stop(measurement) == 0, "profil_stop in the child");
	check_ticks(sum_of() - before, seconds);
	profil_close(measurement);
	check_own();
	_exit(0);
}

static void try_fork(struct profil_measurement *measurement)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		in_child(measurement);
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "the child");
}

int main(int argc, char **argv)
{
	size_t before = descriptors();
	struct profil_measurement *measurement;
	double seconds;

	(void)argv;
	if (argc > 1)
		confine();
	measurement = start();
	check(confined || descriptors() == before, "none of the descriptors are the program's");
	close_everything();
	open_own();
	seconds = spin_twice();
	try_fork(measurement);
	check(profil_stop(measurement) == 0, "profil_stop");
	check_ticks(sum_of(), seconds);
	check_own();
	profil_close(measurement);
	profil_close(start());
	check_own();
	return 0;
}
