// SPDX-License-Identifier: BSD-2-Clause
/* measure FILE COMMAND [ARG...]: run COMMAND and write into FILE, in one line, when it began and
 * ended (CLOCK_MONOTONIC), the CPU time it and all it waited for took (nanoseconds, this program's
 * own included) and its peak memory (KiB).  Small on purpose: a process that a large one spawned
 * starts with the large one's peak. */
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t cpu_ns(const struct rusage *usage)
{
	return ((uint64_t)usage->ru_utime.tv_sec + (uint64_t)usage->ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)usage->ru_utime.tv_usec + (uint64_t)usage->ru_stime.tv_usec) * 1000;
}

int main(int argc, char **argv)
{
	struct rusage usage, own;
	uint64_t began, ended;
	int code, status;
	pid_t child;
	FILE *out;

	if (argc < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND [ARG...]\n");
		return 2;
	}
	out = fopen(argv[1], "we");
	if (!out) {
		perror(argv[1]);
		return 2;
	}
	began = now();
	code = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
	if (code) {
		fprintf(stderr, "measure: %s: %s\n", argv[2], strerror(code));
		return 2;
	}
	if (wait4(child, &status, 0, &usage) != child)
		return 2;
	ended = now();
	getrusage(RUSAGE_SELF, &own);
	fprintf(out, "%ju %ju %ju %ld\n", (uintmax_t)began, (uintmax_t)ended,
		(uintmax_t)(cpu_ns(&usage) + cpu_ns(&own)), usage.ru_maxrss);
	if (fclose(out))
		return 2;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
