// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/clocks.h"

#include "base/array.h"
#include "base/capability.h"
#include "base/perf_event.h"
#include "engine/perf/stack.h"
#include "engine/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define WHO "perf engine: "

/* Of both rings of a CPU, with the kernel's own page each, 516 KiB is what perf_event_mlock_kb
 * grants to everybody by default; who may lock memory need not ask. */
#define TICKS_BYTES (256 * 1024)
#define TELLING_BYTES (128 * 1024)
#define UNBOUNDED_TIMES 4

/* With call stacks a sample takes some 16 KiB.  The rings of ticks grow as far as the limit of
 * locked memory (ulimit -l) lets them, which counts beside the other, or to this. */
#define STACKS_BYTES (4096 * 1024)
#define STACKS_WAKEUP (256 * 1024)

static const size_t ring_bytes[RING_KINDS] = {
	[RING_TELLING] = TELLING_BYTES,
	[RING_TICKS] = TICKS_BYTES,
};

/* Dated by a clock that all CPUs share.  Not inherit_stat, with which the end of a thread would
 * tell what it has counted: the kernel writes that into the rings of all CPUs from the one it is
 * on, while those write there themselves, and a ring in which two have met may stay shut for good.
 */
static struct perf_event_attr common_attributes(unsigned config, uint32_t ring)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_STREAM_ID,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1,
		.inherit = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = ring / 4,
	};
}

/* The piece of stack is the user's; the kernel's own callers it finds itself, where its addresses
 * may be seen. */
static void ask_for_stacks(struct perf_event_attr *attr, uint32_t size)
{
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = perf_stack_registers();
	attr->sample_stack_user = size;
	if (!privilege_kernel_shown())
		return;
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_user = 1;
}

static struct perf_event_attr attributes(uint64_t period_ns, const struct event *event)
{
	struct perf_event_attr attr = common_attributes(PERF_COUNT_SW_CPU_CLOCK, TICKS_BYTES);

	attr.sample_period = period_ns;
	attr.sample_type |= PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_LOST;
	if (event)
		event_fill(event, &attr);
	return attr;
}

/* What tells of mappings and tasks, and counts nothing. */
static struct perf_event_attr telling_attributes(const struct perf_clocks *clocks)
{
	struct perf_event_attr attr = common_attributes(PERF_COUNT_SW_DUMMY, TELLING_BYTES);

	attr.read_format = clocks->attr.read_format;
	attr.exclude_kernel = 1;
	attr.mmap = attr.mmap2 = 1;
	attr.comm = attr.comm_exec = 1;
	attr.task = 1;
	attr.context_switch = clocks->switches;
	return attr;
}

int perf_clocks_probe(bool *ret_hidden, struct error *reterr)
{
	struct perf_event_attr attr = attributes(1000000, /* event= */ NULL);
	int ret = perf_event_settle(&attr, WHO, reterr);

	if (!ret && ret_hidden)
		*ret_hidden = attr.exclude_kernel;
	return ret;
}

/* The initial user namespace is asked by the kernel; within another a capability is of no use here,
 * and a smaller ring is taken (ring_map). */
static bool may_lock_memory(void)
{
	return capability_effective() >> CAP_IPC_LOCK & 1;
}

/* The room of a CPU's ring of ticks with call stacks: all rings share what may be locked. */
static size_t stacks_bytes(size_t cpus)
{
	size_t bytes = TICKS_BYTES;
	struct rlimit limit;

	if (may_lock_memory())
		return STACKS_BYTES;
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return bytes;
	while (bytes < STACKS_BYTES && 2 * bytes - TICKS_BYTES <= limit.rlim_cur / cpus)
		bytes *= 2;
	return bytes;
}

static void size_rings(struct perf_clocks *clocks)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), ticks;

	for (int kind = 0; kind < RING_KINDS; kind++)
		clocks->pages[kind] =
			ring_bytes[kind] / page * (may_lock_memory() ? UNBOUNDED_TIMES : 1);
	if (!clocks->stack_size)
		return;
	ticks = stacks_bytes(clocks->cpus);
	clocks->pages[RING_TICKS] = ticks / page;
	clocks->attr.wakeup_watermark =
		(uint32_t)(ticks / 4 < STACKS_WAKEUP ? ticks / 4 : STACKS_WAKEUP);
}

size_t perf_clocks_sample_size(const struct perf_clocks *clocks)
{
	size_t size = offsetof(struct perf_sample, counted);

	if (clocks->attr.sample_type & PERF_SAMPLE_READ)
		size += sizeof(uint64_t) * (clocks->attr.read_format & PERF_FORMAT_LOST ? 2 : 1);
	return size;
}

int perf_clocks_init(struct perf_clocks *clocks, const struct perf_clocks_wish *wish,
		     struct error *reterr)
{
	*clocks = (struct perf_clocks){.attr = attributes(wish->period_ns, wish->event),
				       .wakeups = -1,
				       .stack_size = wish->stack_size,
				       .switches = wish->switches};
	clocks->cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	if (clocks->stack_size)
		ask_for_stacks(&clocks->attr, clocks->stack_size);
	size_rings(clocks);
	clocks->makers = malloc(clocks->cpus * RING_KINDS * sizeof(*clocks->makers));
	if (!clocks->makers)
		return error_set(reterr, -ENOMEM, "perf engine: out of memory: free some");
	memset(clocks->makers, 0xff, clocks->cpus * RING_KINDS * sizeof(*clocks->makers));
	clocks->wakeups = epoll_create1(EPOLL_CLOEXEC);
	if (clocks->wakeups < 0)
		return error_set(reterr, -errno, "perf engine: epoll: %s: close some files",
				 strerror(errno));
	return perf_event_settle(&clocks->attr, WHO, reterr);
}

/* A program of many threads needs more descriptors than a shell gives; the measured program, which
 * was forked before, keeps the limit it was given. */
static bool raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return !setrlimit(RLIMIT_NOFILE, &limit);
}

/* Where an event's records go. */
struct way {
	size_t cpu;
	enum perf_ring_kind kind;
};

/* The first event of a kind on a CPU makes its ring.  Woken up by edges: an event whose thread has
 * ended would be ready for ever. */
static int make_ring(struct perf_clocks *clocks, int fd, struct way way, struct perf_rings *rings,
		     struct error *reterr)
{
	struct epoll_event wake = {.events = EPOLLIN | EPOLLET};
	size_t number = perf_ring_of(way.cpu, way.kind);
	int ret = ring_map(fd, clocks->pages[way.kind], &rings->all[number].ring);

	if (ret == -EPERM)
		return error_set(reterr, -ENOBUFS,
				 "perf engine: ring of CPU %zu: this user may lock no more memory: "
				 "end other measurements of the user, or raise 'ulimit -l' or "
				 "kernel.perf_event_mlock_kb",
				 way.cpu);
	if (ret)
		return error_set(reterr, ret, "perf engine: ring of CPU %zu: %s: try again",
				 way.cpu, strerror(-ret));
	if (epoll_ctl(clocks->wakeups, EPOLL_CTL_ADD, fd, &wake))
		return error_set(reterr, -errno, "perf engine: epoll: %s: close some files",
				 strerror(errno));
	clocks->makers[number] = fd;
	return 0;
}

static int take_ring(struct perf_clocks *clocks, int fd, struct way way, struct perf_rings *rings,
		     struct error *reterr)
{
	int maker = clocks->makers[perf_ring_of(way.cpu, way.kind)];

	if (maker < 0)
		return make_ring(clocks, fd, way, rings, reterr);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, maker))
		return error_set(reterr, -errno, "perf engine: ring of CPU %zu: %s: try again",
				 way.cpu, strerror(errno));
	return 0;
}

static int open_on(struct perf_clocks *clocks, pid_t tid, struct way way, struct perf_rings *rings,
		   struct error *reterr)
{
	const struct perf_event_attr telling = telling_attributes(clocks);
	const struct perf_event_attr *attr = way.kind == RING_TICKS ? &clocks->attr : &telling;
	int fd;

	if (ARRAY_RESERVE(clocks->all, clocks->capacity, clocks->count + 1))
		return error_set(reterr, -ENOMEM, "perf engine: out of memory: free some");
	fd = perf_event_open(attr, tid, (int)way.cpu);
	if (fd == -EMFILE && raise_limit())
		fd = perf_event_open(attr, tid, (int)way.cpu);
	if (fd == -ENODEV) /* the CPU is off */
		return 0;
	if (fd == -ESRCH)
		return fd;
	if (fd == -EACCES || fd == -EPERM) /* perf_event_settle() was granted one of its own */
		return error_set(reterr, fd,
				 "perf engine: thread %d: %s: it has other rights than profil by "
				 "now: run as root",
				 (int)tid, strerror(-fd));
	if (fd < 0)
		return perf_event_refuse(fd, WHO, reterr);
	clocks->all[clocks->count++] = (struct perf_clock){fd, perf_ring_of(way.cpu, way.kind)};
	return take_ring(clocks, fd, way, rings, reterr);
}

int perf_clocks_open(struct perf_clocks *clocks, pid_t tid, struct perf_rings *rings,
		     struct error *reterr)
{
	int ret = 0;

	for (size_t cpu = 0; cpu < clocks->cpus && !ret; cpu++) {
		ret = open_on(clocks, tid, (struct way){cpu, RING_TELLING}, rings, reterr);
		if (!ret)
			ret = open_on(clocks, tid, (struct way){cpu, RING_TICKS}, rings, reterr);
	}
	return ret;
}

void perf_clocks_switch(struct perf_clocks *clocks, bool on)
{
	for (size_t i = 0; i < clocks->count; i++)
		(void)ioctl(clocks->all[i].fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			    0);
}

/* As read(2) fills it: without PERF_FORMAT_LOST, the first alone. */
struct told {
	uint64_t counted, lost;
};

static struct told ask(const struct perf_clock *clock)
{
	struct told told = {0};

	if (read(clock->fd, &told, sizeof(told)) < (ssize_t)sizeof(told.counted))
		return (struct told){0};
	return told;
}

uint64_t perf_clocks_counted(const struct perf_clocks *clocks)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < clocks->count; i++)
		sum += ask(&clocks->all[i]).counted;
	return sum;
}

uint64_t perf_clocks_lost(const struct perf_clocks *clocks, size_t ring)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < clocks->count; i++)
		if (clocks->all[i].ring == ring)
			sum += ask(&clocks->all[i]).lost;
	return sum;
}

void perf_clocks_done(struct perf_clocks *clocks)
{
	for (size_t i = 0; i < clocks->count; i++)
		close(clocks->all[i].fd);
	if (clocks->wakeups >= 0)
		close(clocks->wakeups);
	free(clocks->all);
	free(clocks->makers);
	*clocks = (struct perf_clocks){.wakeups = -1};
}
