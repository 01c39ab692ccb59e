// SPDX-License-Identifier: BSD-2-Clause
/* bare-clock PERIOD COMMAND [ARG...]: run COMMAND while a cpu-clock event of PERIOD nanoseconds
 * ticks on every CPU and nobody listens: the cost of the interrupt alone. */
#include <errno.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int open_clock(int cpu, unsigned long long period)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period,
		.exclude_idle = 1, /* as profil's own clock */
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int code, status;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: bare-clock PERIOD COMMAND [ARG...]\n");
		return 2;
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		/* ENODEV: a CPU that is offline. */
		if (open_clock(cpu, strtoull(argv[1], NULL, 10)) < 0 && errno != ENODEV) {
			perror("bare-clock: perf_event_open");
			return 1;
		}
	}
	code = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
	if (code) {
		fprintf(stderr, "bare-clock: %s: %s\n", argv[2], strerror(code));
		return 1;
	}
	if (waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
