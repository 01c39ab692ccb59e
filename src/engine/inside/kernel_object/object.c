// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: the program's own pages are lent to the kernel, which counts
 * in them at every tick of a clock on every CPU; nothing runs in the program and nothing wakes. */
#include "engine/inside/kernel_object/object.h"

#include "engine/engine.h"
#include "engine/inside/kernel_object/pages.h"
#include "engine/inside/kernel_object/private.h"
#include "engine/privilege.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int check_period(uint64_t period_ns, struct error *reterr)
{
	if (period_ns >= PERIOD_NS_MIN && period_ns <= PERIOD_NS_MAX)
		return 0;
	return error_set(reterr, -ERANGE,
			 "kernel engine: no clock ticks every %" PRIu64 " ns: ask for %llu to %llu",
			 period_ns, PERIOD_NS_MIN, PERIOD_NS_MAX);
}

/* All that can be known without loading anything. */
static int prepare(const struct inside_options *options, struct extents *ret_extents,
		   struct error *reterr)
{
	struct extents extents;
	int r = privilege_probe_kernel(reterr);

	if (!r)
		r = check_period(options->period_ns, reterr);
	if (!r)
		r = extents_make(options->table, &extents, reterr);
	if (r)
		return r;
	r = pages_check(&extents, reterr);
	if (r)
		extents_done(&extents);
	else
		*ret_extents = extents;
	return r;
}

static int kernel_probe(const struct inside_options *options, struct error *reterr)
{
	struct extents extents;
	int r = prepare(options, &extents, reterr);

	if (!r)
		extents_done(&extents);
	return r;
}

/* ------------------------------------------------------------------ the clocks */

static int attach(struct inside *inside)
{
	inside->links = calloc(inside->clocks.count, sizeof(*inside->links));
	if (!inside->links)
		return -ENOMEM;
	for (size_t i = 0; i < inside->clocks.count; i++) {
		int link = bpf_link_create(bpf_program__fd(inside->count->progs.tick),
					   inside->clocks.fds[i], BPF_PERF_EVENT, NULL);

		if (link < 0)
			return link;
		inside->links[inside->link_count++] = link;
	}
	return 0;
}

static int switch_on(void *context, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* When the call returns, no tick is under way: it waits for the clock's CPU. */
static void switch_off(struct inside *inside)
{
	for (size_t i = 0; i < inside->clocks.count; i++)
		ioctl(inside->clocks.fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* Each clock's first tick is a whole period after it was switched on.  So wait until all the first
 * ticks lie ahead, at any moment of one period from now: then a measurement shorter than a period
 * has its fair chance of one. */
static int switch_on_all(struct inside *inside)
{
	uint64_t ready = monotonic_ns() + inside->clocks.period_ns;
	struct timespec at = {
		.tv_sec = (time_t)(ready / 1000000000u),
		.tv_nsec = (long)(ready % 1000000000u),
	};
	int r = clocks_scatter(&inside->clocks, switch_on, NULL);

	while (!r && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
	return r;
}

static int run_clocks(struct inside *inside, const struct inside_options *options,
		      struct error *reterr)
{
	int r = clocks_open_machine(&inside->clocks, options->period_ns, NULL);

	if (!r)
		r = attach(inside);
	if (!r)
		r = switch_on_all(inside);
	if (!r)
		r = account_begin(inside, options->this_thread);
	if (!r)
		return 0;
	return error_set(reterr, r,
			 "kernel engine: cannot start a clock on each CPU: %s: run as root",
			 strerror(-r));
}

/* ------------------------------------------------------------------ from start to stop */

/* The descriptors alone: in a forked child they are of the parent's measurement, which goes on. */
static void let_go(struct inside *inside)
{
	for (size_t i = 0; i < inside->link_count; i++)
		close(inside->links[i]);
	free(inside->links);
	clocks_close(&inside->clocks);
	if (inside->area)
		munmap(inside->area, inside->extents.size ? inside->extents.size : COUNT_PAGE);
	count__destroy(inside->count);
	extents_done(&inside->extents);
	free(inside);
}

/* Takes NULL and what is half built. */
static void kernel_stop(struct inside *inside, struct inside_account *ret_account)
{
	if (!inside)
		return;
	switch_off(inside);
	if (ret_account && account_read(inside, ret_account))
		memset(ret_account, 0, sizeof(*ret_account));
	if (inside->area)
		(void)pages_return(&inside->extents, inside->area);
	let_go(inside);
}

static int lend(struct inside *inside, struct error *reterr)
{
	int r = pages_lend(&inside->extents, bpf_map__fd(inside->count->maps.area), inside->area);

	if (!r)
		return 0;
	return error_set(reterr, r,
			 "kernel engine: cannot put the kernel's pages in place of the buffer: "
			 "%s: take fewer buffers",
			 strerror(-r));
}

static int kernel_start(const struct inside_options *options, struct inside **ret_inside,
			struct error *reterr)
{
	struct inside *inside = calloc(1, sizeof(*inside));
	int r;

	if (!inside)
		return error_set(reterr, -ENOMEM, "kernel engine: out of memory: free some");
	r = prepare(options, &inside->extents, reterr);
	if (!r)
		r = load_count(inside, options, reterr);
	if (!r)
		r = lend(inside, reterr);
	if (!r)
		r = run_clocks(inside, options, reterr);
	if (r) {
		kernel_stop(inside, NULL);
		return r;
	}
	*ret_inside = inside;
	return 0;
}

/* ------------------------------------------------------------------ fork */

/* The measurement goes on meanwhile: a child is another process, and not counted. */
static void kernel_fork_prepare(struct inside *inside)
{
}

static void kernel_fork_parent(struct inside *inside)
{
}

/* The child has inherited the parent's lent pages, not copies of them. */
static void kernel_fork_child(struct inside *inside)
{
	(void)pages_return(&inside->extents, inside->area);
	let_go(inside);
}

static const struct inside_ops ops = {
	.name = "kernel",
	.probe = kernel_probe,
	.start = kernel_start,
	.account = account_read,
	.stop = kernel_stop,
	.fork_prepare = kernel_fork_prepare,
	.fork_parent = kernel_fork_parent,
	.fork_child = kernel_fork_child,
};

const struct inside_ops *profil_inside_kernel(const char *version)
{
	return strcmp(version, PROFIL_VERSION) ? NULL : &ops;
}
