// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/events.h"

#include "base/perf_event.h"
#include "engine/inside/pc.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Its caller says which engine it is. */
#define WHO ""

/* 2,730 samples at 4 KiB a page: 20 ms of a clock of 100 kHz and some for a reader that is late. */
#define RING_PAGES 32

/* The registers are the program's own, also when the tick comes in kernel mode. */
static struct perf_event_attr attributes(uint64_t period_ns)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ |
			       PERF_SAMPLE_REGS_USER,
		.sample_regs_user = pc_sampled_registers(),
		.exclude_hv = 1,
	};
}

/* Wake-ups of a reader that does not wait for any would cost an interrupt each. */
static void never_wake(struct perf_event_attr *attr)
{
	attr->watermark = 1;
	attr->wakeup_watermark = UINT32_MAX;
}

/* Without the kernel's ticks their counts would only tell how many were dropped, not where. */
static int settle_for(struct perf_events *events, struct perf_event_attr *attr,
		      struct error *reterr)
{
	int ret = perf_event_settle(attr, WHO, reterr);

	if (attr->exclude_kernel)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	events->have_counts = attr->sample_type & PERF_SAMPLE_READ;
	return ret;
}

/* Asked once, before a fork: the C library allocates to list them. */
static size_t cpu_count(void)
{
	static size_t count; /* atomic */
	size_t known = __atomic_load_n(&count, __ATOMIC_RELAXED);

	if (!known) {
		known = (size_t)sysconf(_SC_NPROCESSORS_CONF);
		__atomic_store_n(&count, known, __ATOMIC_RELAXED);
	}
	return known;
}

int perf_events_probe(uint64_t period_ns, struct error *reterr)
{
	struct perf_event_attr attr = attributes(period_ns);

	(void)cpu_count();
	return perf_event_settle(&attr, WHO, reterr);
}

static struct ring *ring_at(const struct perf_events *events, size_t index)
{
	return (struct ring *)events->rings.start + index;
}

static int *descriptors_of(const struct perf_events *events)
{
	return events->descriptors.start;
}

static int add(struct perf_events *events, int fd, struct error *reterr)
{
	int ret = space_reserve(&events->descriptors, (events->count + 1) * sizeof(int));

	if (ret) {
		(void)close(fd);
		return error_set(reterr, ret, "out of memory: free some");
	}
	descriptors_of(events)[events->count++] = fd;
	return 0;
}

static int map(struct perf_events *events, size_t ring, int fd, struct error *reterr)
{
	int ret = ring_map(fd, RING_PAGES, ring_at(events, ring));

	if (ret)
		return error_set(reterr, ret, "perf ring: %s: %s", strerror(-ret),
				 "raise kernel.perf_event_mlock_kb or ulimit -l");
	return 0;
}

static int make_room(struct perf_events *events, size_t rings, struct error *reterr)
{
	int ret = space_reserve(&events->rings, rings * sizeof(struct ring));

	if (ret)
		return error_set(reterr, ret, "out of memory: free some");
	events->ring_count = rings;
	return 0;
}

int perf_events_open_one(struct perf_events *events, pid_t tid, uint64_t period_ns,
			 struct error *reterr)
{
	struct perf_event_attr attr = attributes(period_ns);
	int fd, ret = make_room(events, 1, reterr);

	if (ret)
		return ret;
	never_wake(&attr);
	ret = settle_for(events, &attr, reterr);
	if (ret)
		return ret;
	fd = perf_event_open(&attr, tid, /* cpu: any */ -1);
	if (fd < 0)
		return perf_event_refuse(fd, WHO, reterr);
	ret = add(events, fd, reterr);
	return ret ? ret : map(events, 0, fd, reterr);
}

/* Give the newest event its CPU's ring: a new one, or the one that is there.  The event that made
 * it may lose its thread, but not its ring. */
static int share_ring(struct perf_events *events, size_t cpu, int maker, struct error *reterr)
{
	int fd = descriptors_of(events)[events->count - 1];

	if (!ring_at(events, cpu)->page)
		return map(events, cpu, fd, reterr);
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, maker))
		return error_set(reterr, -errno, "perf ring: %s: use another engine",
				 strerror(errno));
	return 0;
}

/* MAKERS has the descriptor behind each CPU's ring. */
static int open_thread(struct perf_events *events, struct perf_event_attr *attr, pid_t tid,
		       int *makers, struct error *reterr)
{
	int ret;

	for (size_t cpu = 0; cpu < events->ring_count; cpu++) {
		int fd = perf_event_open(attr, tid, (int)cpu);

		if (fd == -ESRCH) /* it has ended */
			return 0;
		if (fd == -ENODEV) /* the CPU is off */
			continue;
		if (fd < 0)
			return perf_event_refuse(fd, WHO, reterr);
		ret = add(events, fd, reterr);
		if (!ret)
			ret = share_ring(events, cpu, makers[cpu], reterr);
		if (ret)
			return ret;
		if (!makers[cpu])
			makers[cpu] = fd;
	}
	return 0;
}

int perf_events_open_all(struct perf_events *events, const struct thread_list *threads,
			 uint64_t period_ns, struct error *reterr)
{
	struct perf_event_attr attr = attributes(period_ns);
	size_t cpus = cpu_count();
	struct space makers = {0};
	int ret = make_room(events, cpus, reterr);

	if (!ret)
		ret = space_reserve(&makers, cpus * sizeof(int));
	never_wake(&attr);
	attr.inherit = 1;
	attr.inherit_thread = 1;
	if (!ret)
		ret = settle_for(events, &attr, reterr);
	for (size_t i = 0; i < threads->count && !ret; i++)
		ret = open_thread(events, &attr, thread_at(threads, i), makers.start, reterr);
	space_done(&makers);
	return ret;
}

void perf_events_disable(struct perf_events *events)
{
	for (size_t i = 0; i < events->count; i++)
		(void)ioctl(descriptors_of(events)[i], PERF_EVENT_IOC_DISABLE, 0);
}

void perf_events_drain(struct perf_events *events, const struct ring_reader *reader)
{
	for (size_t i = 0; i < events->ring_count; i++)
		ring_drain(ring_at(events, i), reader);
}

void perf_events_close(struct perf_events *events)
{
	for (size_t i = 0; i < events->ring_count; i++)
		ring_unmap(ring_at(events, i));
	for (size_t i = 0; i < events->count; i++)
		(void)close(descriptors_of(events)[i]);
	perf_events_forget(events);
}

void perf_events_forget(struct perf_events *events)
{
	space_done(&events->rings);
	space_done(&events->descriptors);
	*events = (struct perf_events){0};
}
