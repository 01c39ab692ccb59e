// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: the program's own pages are lent to the kernel, which counts
 * in them at every tick of a clock on every CPU; nothing runs in the program and nothing wakes. */
#include "engine/kernel/object/object.h"

#include "engine/engine.h"
#include "engine/kernel/object/pages.h"
#include "engine/kernel/object/private.h"
#include "engine/privilege.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int check_period(uint64_t period_ns, struct error *reterr)
{
	if (period_ns >= PERIOD_NS_MIN && period_ns <= PERIOD_NS_MAX)
		return 0;
	return error_set(reterr, -ERANGE,
			 "kernel engine: cannot sample every %" PRIu64
			 " ns: ask for %llu to %llu ns",
			 period_ns, PERIOD_NS_MIN, PERIOD_NS_MAX);
}

/* All that can be known without loading anything. */
static int prepare(const struct inside_options *options, struct extents *ret_extents,
		   struct error *reterr)
{
	struct extents extents;
	int ret = privilege_probe_kernel(reterr);

	if (!ret)
		ret = check_period(options->period_ns, reterr);
	if (!ret)
		ret = extents_make(options->table, &extents, reterr);
	if (ret)
		return ret;
	ret = pages_check(&extents, reterr);
	if (ret)
		extents_done(&extents);
	else
		*ret_extents = extents;
	return ret;
}

static int kernel_probe(const struct inside_options *options, struct error *reterr)
{
	struct extents extents;
	int ret = prepare(options, &extents, reterr);

	if (!ret)
		extents_done(&extents);
	return ret;
}

/* ------------------------------------------------------------------ the clocks */

static int attach(struct kernel_run *run)
{
	run->links = calloc(run->clocks.count, sizeof(*run->links));
	if (!run->links)
		return -ENOMEM;
	for (size_t i = 0; i < run->clocks.count; i++) {
		int link = bpf_link_create(bpf_program__fd(run->skeleton->progs.tick),
					   run->clocks.fds[i], BPF_PERF_EVENT, NULL);

		if (link < 0)
			return link;
		run->links[run->link_count++] = link;
	}
	return 0;
}

static int switch_on(void *context, int fd)
{
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

/* When the call returns, no tick is under way: it waits for the clock's CPU. */
static void switch_off(struct kernel_run *run)
{
	for (size_t i = 0; i < run->clocks.count; i++)
		ioctl(run->clocks.fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

/* Each clock's first tick is a whole period after it was switched on.  So wait until all the first
 * ticks lie ahead, at any moment of one period from now: then a measurement shorter than a period
 * has its fair chance of one. */
static int switch_on_all(struct kernel_run *run)
{
	uint64_t ready = monotonic_ns() + run->clocks.period_ns;
	struct timespec at = {
		.tv_sec = (time_t)(ready / 1000000000u),
		.tv_nsec = (long)(ready % 1000000000u),
	};
	int ret = clocks_scatter(&run->clocks, switch_on, NULL);

	while (!ret && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
	return ret;
}

static int run_clocks(struct kernel_run *run, const struct inside_options *options,
		      struct error *reterr)
{
	int ret =
		clocks_open_machine(&run->clocks, &(struct clocks_wish){options->period_ns}, NULL);

	if (!ret)
		ret = attach(run);
	if (!ret)
		ret = switch_on_all(run);
	if (!ret)
		return 0;
	return error_set(reterr, ret,
			 "kernel engine: cannot start a clock on each CPU: %s: run as root",
			 strerror(-ret));
}

/* ------------------------------------------------------------------ from start to stop */

/* All runs, and in the child of a fork its parent's, so that a leak checker finds them: their
 * owner's memory is not the allocator's.  Starts and stops come one after the other. */
static struct kernel_run *runs;

static void forget(struct kernel_run *run)
{
	struct kernel_run **at = &runs;

	while (*at && *at != run)
		at = &(*at)->next;
	if (*at)
		*at = run->next;
	load_unmap(run);
	extents_done(&run->extents);
	free(run->links);
	free(run->clocks.fds);
	free(run->clocks.cpus);
	free(run);
}

static void close_all(struct kernel_run *run)
{
	for (size_t i = 0; i < run->link_count; i++)
		close(run->links[i]);
	clocks_close(&run->clocks);
	count__destroy(run->skeleton);
	run->skeleton = NULL;
}

/* Memory laid out as the area is, all 0.  NULL: there is none. */
static char *new_aside(const struct kernel_run *run)
{
	void *aside = MAP_FAILED;

	if (run->extents.size)
		aside = mmap(NULL, run->extents.size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return aside == MAP_FAILED ? NULL : aside;
}

/* Where memory is short they stay as they are, with their counts. */
static void return_pages(struct kernel_run *run)
{
	char *aside = new_aside(run);

	if (!aside)
		return;
	pages_copy(aside, run->area, run->extents.size);
	(void)pages_return(&run->extents, aside);
}

static void kernel_stop(struct kernel_run *run, struct inside_account *ret_account)
{
	switch_off(run);
	account_read(run, ret_account);
	return_pages(run);
	close_all(run);
	forget(run);
}

/* Whatever has been done of it. */
static void give_up(struct kernel_run *run)
{
	switch_off(run);
	if (run->area)
		return_pages(run);
	close_all(run);
	forget(run);
}

static int lend(struct kernel_run *run, struct error *reterr)
{
	int ret = pages_lend(&run->extents, bpf_map__fd(run->skeleton->maps.area), run->area);

	if (!ret)
		return 0;
	return error_set(reterr, ret,
			 "kernel engine: cannot put the kernel's pages in place of the buffer: "
			 "%s: take fewer buffers",
			 strerror(-ret));
}

static int kernel_start(const struct inside_options *options, pid_t tid,
			struct kernel_run **ret_run, struct error *reterr)
{
	struct kernel_run *run = calloc(1, sizeof(*run));
	int ret;

	if (!run)
		return error_set(reterr, -ENOMEM, "kernel engine: out of memory: free some");
	ret = prepare(options, &run->extents, reterr);
	if (!ret)
		ret = load_count(run, options, tid, reterr);
	if (!ret)
		ret = lend(run, reterr);
	if (!ret)
		ret = run_clocks(run, options, reterr);
	if (ret) {
		give_up(run);
		return ret;
	}
	count__destroy(run->skeleton);
	run->skeleton = NULL;
	run->next = runs;
	runs = run;
	*ret_run = run;
	return 0;
}

/* ------------------------------------------------------------------ fork */

/* The child inherits the lent pages themselves, not copies of them, and the parent's ticks go on in
 * these: so its copy is made before.  If there is no memory for it, it gets what it finds. */
static void kernel_fork_prepare(struct kernel_run *run, struct inside_account *ret_account)
{
	run->snapshot = new_aside(run);
	if (run->snapshot)
		account_cut(run, run->snapshot, ret_account);
	else
		account_read(run, ret_account);
}

static void kernel_fork_parent(struct kernel_run *run)
{
	if (run->snapshot)
		munmap(run->snapshot, run->extents.size);
	run->snapshot = NULL;
}

/* The descriptors are of a thread that is not here, and the allocator may be locked by another one:
 * what it gave is left to lie. */
static void kernel_fork_child(struct kernel_run *run)
{
	if (run->snapshot)
		(void)pages_return(&run->extents, run->snapshot);
	else
		return_pages(run);
	load_unmap(run);
}

static const struct kernel_object object = {
	.probe = kernel_probe,
	.start = kernel_start,
	.account = account_read,
	.stop = kernel_stop,
	.fork_prepare = kernel_fork_prepare,
	.fork_parent = kernel_fork_parent,
	.fork_child = kernel_fork_child,
};

const struct kernel_object *profil_inside_kernel(const char *version)
{
	return strcmp(version, PROFIL_VERSION) ? NULL : &object;
}
