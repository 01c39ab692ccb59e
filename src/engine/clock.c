// SPDX-License-Identifier: BSD-2-Clause
#include "engine/clock.h"

#include "base/array.h"
#include "base/perf_event.h"
#include "engine/engine.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
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

	if (clocks->event)
		event_fill(clocks->event, &attr);
	return perf_event_open(&attr, pid, cpu);
}

/* Call OPEN for every CPU of a list such as "0-3,7"; stop at the first error. */
static int for_each_online(int (*take)(void *context, int cpu), void *context)
{
	FILE *list = fopen("/sys/devices/system/cpu/online", "re");
	int first, last, ret = 0;
	char separator;

	if (!list)
		return -errno;
	while (!ret && fscanf(list, "%d", &first) == 1) {
		last = first;
		if (fscanf(list, "%c", &separator) == 1 && separator == '-') {
			if (fscanf(list, "%d", &last) != 1)
				break;
			(void)!fscanf(list, "%c", &separator);
		}
		for (int cpu = first; cpu <= last && !ret; cpu++)
			ret = take(context, cpu);
	}
	fclose(list);
	return ret;
}

static int reserve_clock(struct clocks *clocks)
{
	int *fds = reallocarray(clocks->fds, clocks->count + 1, sizeof(*fds)), *cpus;

	if (!fds)
		return -ENOMEM;
	clocks->fds = fds;
	cpus = reallocarray(clocks->cpus, clocks->count + 1, sizeof(*cpus));
	if (!cpus)
		return -ENOMEM;
	clocks->cpus = cpus;
	return 0;
}

/* PID as clock_open() has it. */
static int add_clock(struct clocks *clocks, pid_t pid, int cpu)
{
	int fd = reserve_clock(clocks);

	if (!fd)
		fd = clock_open(clocks, pid, cpu);
	if (fd < 0)
		return fd;
	clocks->fds[clocks->count] = fd;
	clocks->cpus[clocks->count++] = cpu;
	return 0;
}

static int open_on_cpu(void *context, int cpu)
{
	int ret = add_clock(context, -1, cpu);

	return ret == -ENODEV ? 0 : ret; /* taken offline between the list and now */
}

static struct clocks wished(const struct clocks_wish *wish)
{
	return (struct clocks){
		.period_ns = wish->period_ns, .event = wish->event, .idle = wish->idle};
}

int clocks_open_machine(struct clocks *ret_clocks, const struct clocks_wish *wish,
			struct error *reterr)
{
	struct clocks clocks = wished(wish);
	int ret = for_each_online(open_on_cpu, &clocks);

	if (!ret && !clocks.count)
		ret = -ENODEV;
	if (ret) {
		clocks_close(&clocks);
		return error_set(reterr, ret,
				 "clock: cannot open one per CPU: %s: try 'profil --clock task'",
				 strerror(-ret));
	}
	*ret_clocks = clocks;
	return 0;
}

int clocks_open_task(struct clocks *ret_clocks, pid_t pid, const struct clocks_wish *wish,
		     struct error *reterr)
{
	struct clocks clocks = wished(wish);
	int ret = add_clock(&clocks, pid, -1);

	if (ret) {
		clocks_close(&clocks);
		return error_set(reterr, ret, "clock: cannot open a task clock: %s: run as root",
				 strerror(-ret));
	}
	*ret_clocks = clocks;
	return 0;
}

uint64_t clocks_counted(const struct clocks *clocks)
{
	uint64_t sum = 0, counted;

	for (size_t i = 0; i < clocks->count; i++)
		if (read(clocks->fds[i], &counted, sizeof(counted)) == sizeof(counted))
			sum += counted;
	return sum;
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
	int ret = 0;

	if (!phases)
		return -ENOMEM;
	for (size_t i = 0; i < clocks->count; i++)
		phases[i] = (struct phase){clocks->event ? 0 : random_u64() % clocks->period_ns,
					   clocks->fds[i]};
	ARRAY_SORT(phases, clocks->count, compare_phases);
	for (size_t i = 0; i < clocks->count && !ret; i++) {
		sleep_until(began + phases[i].offset_ns);
		ret = switch_on(context, phases[i].fd);
	}
	free(phases);
	return ret;
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

int clocks_watch(void)
{
	struct sockaddr_nl all = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)&all, sizeof(all)))
		return fd;
	close(fd);
	return -errno;
}

/* Whoever else has the descriptor, a fork of ours for one, does not keep it ticking. */
static void close_clock(int fd)
{
	(void)ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	close(fd);
}

/* The clocks that stood on CPU before. */
static void forget_cpu(struct clocks *clocks, int cpu)
{
	size_t kept = 0;

	for (size_t i = 0; i < clocks->count; i++) {
		if (clocks->cpus[i] == cpu) {
			close_clock(clocks->fds[i]);
			continue;
		}
		clocks->fds[kept] = clocks->fds[i];
		clocks->cpus[kept++] = clocks->cpus[i];
	}
	clocks->count = kept;
}

int clocks_renew(struct clocks *clocks, int cpu, int (*switch_on)(void *context, int fd),
		 void *context)
{
	int ret;

	forget_cpu(clocks, cpu);
	ret = add_clock(clocks, -1, cpu);
	return ret ? ret : switch_on(context, clocks->fds[clocks->count - 1]);
}

int64_t cpu_changes_ns(const struct cpu_changes *changes, uint64_t now_ns)
{
	return changes->count * (int64_t)now_ns + changes->moments_ns;
}

void cpu_changes_take(struct cpu_changes *changes, int change, uint64_t now_ns)
{
	changes->count += change;
	changes->moments_ns -= change * (int64_t)now_ns;
}

int clocks_told(int watch, int *ret_cpu)
{
	char told[4096];
	ssize_t length;

	/* "online@/devices/system/cpu/cpu1", and more that is not needed */
	while ((length = recv(watch, told, sizeof(told) - 1, 0)) > 0) {
		told[length] = '\0';
		if (sscanf(told, "online@/devices/system/cpu/cpu%d", ret_cpu) == 1)
			return 1;
		if (sscanf(told, "offline@/devices/system/cpu/cpu%d", ret_cpu) == 1)
			return -1;
	}
	return 0;
}

void clocks_close(struct clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		close_clock(clocks->fds[i]);
	free(clocks->fds);
	free(clocks->cpus);
	memset(clocks, 0, sizeof(*clocks));
}

/* ---- what an interrupt costs ---- */

#define TRIAL_NS 10000000
#define TRIAL_PERIOD_NS 200000
#define TRIAL_INTERRUPTS (TRIAL_NS / TRIAL_PERIOD_NS)

static int compare_times(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* A program that only looks at the time sees where it did not run: for 2.5 ms, put what is longer
 * than the shortest of PAUSES, which stands first, in its place. */
static void watch_pauses(uint64_t pauses[TRIAL_INTERRUPTS])
{
	uint64_t began = monotonic_ns(), last = began, now;

	do {
		now = monotonic_ns();
		if (now - last > pauses[0]) {
			pauses[0] = now - last;
			ARRAY_SORT(pauses, TRIAL_INTERRUPTS, compare_times);
			now = monotonic_ns();
		}
		last = now;
	} while (now - began < TRIAL_NS / 4);
}

/* The longest pauses are the interrupts: as many as the clock FD, which stands still while another
 * thread runs, has had periods. */
static uint64_t median_interrupt_ns(int fd)
{
	uint64_t pauses[TRIAL_INTERRUPTS] = {0}, ran = 0;
	size_t interrupts;

	for (int i = 0; i < 40 && ran < TRIAL_NS; i++) {
		watch_pauses(pauses);
		if (read(fd, &ran, sizeof(ran)) != sizeof(ran))
			return 0;
	}
	interrupts = (size_t)(ran / TRIAL_PERIOD_NS);
	if (interrupts > TRIAL_INTERRUPTS)
		interrupts = TRIAL_INTERRUPTS;
	return interrupts ? pauses[TRIAL_INTERRUPTS - 1 - interrupts / 2] : 0;
}

uint64_t clock_interrupt_ns(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = TRIAL_PERIOD_NS,
		.exclude_kernel = 1, /* what everybody may; the interrupt is the same */
	};
	int fd = perf_event_open(&attr, 0, -1);
	uint64_t pause;

	if (fd < 0)
		return 0;
	pause = median_interrupt_ns(fd);
	close_clock(fd);
	return pause;
}
