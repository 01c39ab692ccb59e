// SPDX-License-Identifier: BSD-2-Clause
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* A child of root's becomes another user: so does every thread in it, that of ours too, which the C
 * library does not know of. */

#define PAGES 65536
#define CELLS (PAGES / 4)
#define NOBODY 65534

static uint32_t cells[CELLS] __attribute__((aligned(PAGES)));

static unsigned user_of(const char *tid)
{
	char path[300], line[256];
	unsigned user = 0;
	FILE *status;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", tid);
	status = fopen(path, "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Uid: %u", &user) == 1)
			break;
	if (status)
		(void)fclose(status);
	return user;
}

/* Threads whose user is USER. */
static int threads_of(unsigned user)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	int count = 0;

	while (threads && (entry = readdir(threads)))
		count += *entry->d_name != '.' && user_of(entry->d_name) == user;
	if (threads)
		(void)closedir(threads);
	return count;
}

static void in_child(void)
{
	check(threads_of(0) == 2, "root's child has a thread of ours");
	check(!setgid(NOBODY) && !setuid(NOBODY), "setuid");
	for (int i = 0; i < 200 && threads_of(0); i++)
		(void)spin(0.02);
	check(!threads_of(0) && threads_of(NOBODY) == 2, "it is the same user's then");
	_exit(0);
}

int main(void)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, cells, CELLS, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);
	int status;
	pid_t child;

	if (geteuid()) {
		(void)puts("skipped: needs root");
		return 77;
	}
	check(measurement && !profil_start(measurement), "profil_start");
	child = fork();
	if (!child)
		in_child();
	check(child > 0 && waitpid(child, &status, 0) == child && !status, "the child");
	profil_close(measurement);
	return 0;
}
