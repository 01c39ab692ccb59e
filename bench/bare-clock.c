// SPDX-License-Identifier: BSD-2-Clause
/* bare-clock [-e] PERIOD COMMAND [ARG...]: run COMMAND while a cpu-clock event of PERIOD
 * nanoseconds ticks on every CPU and nobody listens: the cost of the interrupt alone.  -e: a BPF
 * program listens that does nothing, so that bpf_stats says what it takes for that. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static int load_empty_program(void)
{
	static const struct bpf_insn code[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)code,
		.insn_cnt = sizeof(code) / sizeof(*code),
		.license = (uintptr_t) "BSD",
	};

	int program = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (program >= 0)
		(void)fcntl(program, F_SETFD, FD_CLOEXEC);
	return program;
}

/* PROGRAM: -1, none.  A CPU that is offline has no clock. */
static int start_clock(int cpu, unsigned long long period, int program)
{
	int clock = open_clock(cpu, period);

	if (clock < 0)
		return errno == ENODEV ? 0 : -1;
	return program < 0 ? 0 : ioctl(clock, PERF_EVENT_IOC_SET_BPF, program);
}

int main(int argc, char **argv)
{
	int listens = argc > 1 && !strcmp(argv[1], "-e"), program = -1;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int code, status;
	pid_t child;

	argv += listens;
	argc -= listens;
	if (argc < 3) {
		fprintf(stderr, "usage: bare-clock [-e] PERIOD COMMAND [ARG...]\n");
		return 2;
	}
	if (listens)
		program = load_empty_program();
	if (listens && program < 0) {
		perror("bare-clock: bpf");
		return 1;
	}
	for (int cpu = 0; cpu < cpus; cpu++) {
		if (start_clock(cpu, strtoull(argv[1], NULL, 10), program)) {
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
