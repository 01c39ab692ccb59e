// SPDX-License-Identifier: BSD-2-Clause
#include "engine/clock.h"

#include "base/array.h"
#include "engine/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* What all CPUs did since the machine started, in clock ticks; zeros where that is not told. */
struct cpu_times {
	uint64_t idle, waiting, stolen;
};

static struct cpu_times cpu_times(void)
{
	FILE *file = fopen("/proc/stat", "re");
	struct cpu_times times = {0};

	if (!file)
		return times;
	/* "cpu user nice system idle iowait irq softirq steal ..." */
	if (fscanf(file, "cpu %*u %*u %*u %" SCNu64 " %" SCNu64 " %*u %*u %" SCNu64, &times.idle,
		   &times.waiting, &times.stolen) != 3)
		times = (struct cpu_times){0};
	fclose(file);
	return times;
}

static uint64_t ns_of(uint64_t clock_ticks)
{
	return clock_ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

uint64_t stolen_ns(void)
{
	return ns_of(cpu_times().stolen);
}

uint64_t idle_ns(void)
{
	struct cpu_times times = cpu_times();

	return ns_of(times.idle + times.waiting);
}

/* A prime number of nanoseconds: a program that repeats itself every so many microseconds has no
 * common beat with it short of that many repetitions. */
uint64_t clock_odd_period(uint64_t period_ns)
{
	for (uint64_t candidate = period_ns | 1;; candidate += 2) {
		uint64_t divisor = 3;

		while (divisor * divisor <= candidate && candidate % divisor)
			divisor += 2;
		if (divisor * divisor > candidate)
			return candidate;
	}
}

static uint64_t random_u64(void)
{
	uint64_t value;

	if (getrandom(&value, sizeof(value), GRND_NONBLOCK) != sizeof(value))
		value = monotonic_ns() * 6364136223846793005u;
	return value;
}

/* PID -1: a clock of CPU's; else the task's, on any CPU. */
static int clock_open(const struct clocks *clocks, pid_t pid, int cpu)
{
	bool of_cpu = pid < 0;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = of_cpu ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = clocks->period_ns,
		.disabled = 1,
		.inherit = !of_cpu,
		/* The idle task is nobody's: where nobody asks for it, spare it the program. */
		.exclude_idle = !clocks->idle,
	};
	long fd = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* Call OPEN for every CPU of a list such as "0-3,7"; stop at the first error. */
static int for_each_online(int (*take)(void *context, int cpu), void *context)
{
	FILE *list = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, r = 0;
	char separator;

	if (!list)
		return -errno;
	while (!r && fscanf(list, "%d", &first) == 1) {
		last = first;
		if (fscanf(list, "%c", &separator) == 1 && separator == '-') {
			if (fscanf(list, "%d", &last) != 1)
				break;
			(void)!fscanf(list, "%c", &separator);
		}
		for (int cpu = first; cpu <= last && !r; cpu++)
			r = take(context, cpu);
	}
	fclose(list);
	return r;
}

static int open_on_cpu(void *context, int cpu)
{
	struct clocks *clocks = context;
	int *grown = reallocarray(clocks->fds, clocks->count + 1, sizeof(*grown));
	int fd;

	if (!grown)
		return -ENOMEM;
	clocks->fds = grown;
	fd = clock_open(clocks, -1, cpu);
	if (fd == -ENODEV) /* taken offline between the list and now */
		return 0;
	if (fd < 0)
		return fd;
	clocks->fds[clocks->count++] = fd;
	return 0;
}

int clocks_open_machine(struct clocks *ret_clocks, uint64_t period_ns, bool idle,
			struct error *reterr)
{
	struct clocks clocks = {.period_ns = period_ns, .idle = idle};
	int r = for_each_online(open_on_cpu, &clocks);

	if (!r && !clocks.count)
		r = -ENODEV;
	if (r) {
		clocks_close(&clocks);
		return error_set(reterr, r,
				 "clock: cannot open one per CPU: %s: try 'profil --clock task'",
				 strerror(-r));
	}
	*ret_clocks = clocks;
	return 0;
}

int clocks_open_task(struct clocks *ret_clocks, pid_t pid, uint64_t period_ns, struct error *reterr)
{
	struct clocks clocks = {.period_ns = period_ns};
	int fd;

	clocks.fds = calloc(1, sizeof(*clocks.fds));
	if (!clocks.fds)
		return error_set(reterr, -ENOMEM, "clock: out of memory: free some");
	fd = clock_open(&clocks, pid, -1);
	if (fd < 0) {
		clocks_close(&clocks);
		return error_set(reterr, fd, "clock: cannot open a task clock: %s: run as root",
				 strerror(-fd));
	}
	clocks.fds[clocks.count++] = fd;
	*ret_clocks = clocks;
	return 0;
}

struct phase {
	uint64_t offset_ns;
	int fd;
};

static int compare_phases(const void *a, const void *b)
{
	const struct phase *x = a, *y = b;

	return x->offset_ns < y->offset_ns ? -1 : x->offset_ns > y->offset_ns;
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = {
		.tv_sec = (time_t)(ns / 1000000000u),
		.tv_nsec = (long)(ns % 1000000000u),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

int clocks_scatter(struct clocks *clocks, int (*switch_on)(void *context, int fd), void *context)
{
	struct phase *phases = calloc(clocks->count + 1, sizeof(*phases));
	uint64_t began = monotonic_ns();
	int r = 0;

	if (!phases)
		return -ENOMEM;
	for (size_t i = 0; i < clocks->count; i++)
		phases[i] = (struct phase){random_u64() % clocks->period_ns, clocks->fds[i]};
	ARRAY_SORT(phases, clocks->count, compare_phases);
	for (size_t i = 0; i < clocks->count && !r; i++) {
		sleep_until(began + phases[i].offset_ns);
		r = switch_on(context, phases[i].fd);
	}
	free(phases);
	return r;
}

int clocks_redraw(struct clocks *clocks, uint64_t *period_ns)
{
	uint64_t tenth = clocks->period_ns / 10;
	uint64_t period = clocks->period_ns - tenth + random_u64() % (2 * tenth + 1);

	if (period < PERIOD_NS_MIN)
		period = PERIOD_NS_MIN;
	*period_ns = period;
	for (size_t i = 0; i < clocks->count; i++)
		if (ioctl(clocks->fds[i], PERF_EVENT_IOC_PERIOD, &period))
			return -errno;
	return 0;
}

void clocks_close(struct clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++) {
		/* Whoever else has the descriptor, a fork of ours for one, does not keep it
		 * ticking. */
		(void)ioctl(clocks->fds[i], PERF_EVENT_IOC_DISABLE, 0);
		close(clocks->fds[i]);
	}
	free(clocks->fds);
	memset(clocks, 0, sizeof(*clocks));
}
