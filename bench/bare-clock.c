// SPDX-License-Identifier: BSD-2-Clause
/* bare-clock [-e | -k] PERIOD COMMAND [ARG...]: run COMMAND while a cpu-clock event of PERIOD
 * nanoseconds ticks on every CPU and nobody listens: the cost of the interrupt alone.  -e: a BPF
 * program listens that does nothing, so that bpf_stats says what it takes for that.  -k: it has the
 * kernel walk the program's stack by frame pointers, as other profilers' programs do, and forgets
 * what it got. */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 384 /* 48 calls; a BPF program has 512 bytes */
#define ARRAY_LENGTH(array) (sizeof(array) / sizeof(*(array)))

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

static int load_program(bool walks)
{
	static const struct bpf_insn code[] = {
		/* bpf_get_stack(context, stack - STACK_BYTES, STACK_BYTES, BPF_F_USER_STACK) */
		{.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10},
		{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -STACK_BYTES},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = STACK_BYTES},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K,
		 .dst_reg = BPF_REG_4,
		 .imm = BPF_F_USER_STACK},
		{.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stack},
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	const struct bpf_insn *first = walks ? code : code + ARRAY_LENGTH(code) - 2;
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)first,
		.insn_cnt = (uint32_t)(code + ARRAY_LENGTH(code) - first),
		.license = (uintptr_t) "Dual BSD/GPL", /* the helper asks for it */
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
	bool walks = argc > 1 && !strcmp(argv[1], "-k");
	bool listens = walks || (argc > 1 && !strcmp(argv[1], "-e"));
	int program = -1;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int code, status;
	pid_t child;

	argv += listens;
	argc -= listens;
	if (argc < 3) {
		fprintf(stderr, "usage: bare-clock [-e | -k] PERIOD COMMAND [ARG...]\n");
		return 2;
	}
	if (listens)
		program = load_program(walks);
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
