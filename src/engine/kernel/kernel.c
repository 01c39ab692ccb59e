// SPDX-License-Identifier: BSD-2-Clause
/* Load the counting program, give it a tree to measure and clocks to tick; read.c takes out
 * what it has counted. */
#include "engine/engine.h"

#include "base/array.h"
#include "base/lent.h"
#include "engine/clock.h"
#include "engine/kernel/private.h"
#include "engine/privilege.h"
#include "engine/shortage.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* Its maps, programs and links, what opens them, and what profil itself opens later. */
#define DESCRIPTORS 36
#define DESCRIPTORS_OF_STACKS 19 /* and those of call stacks */
#define DESCRIPTORS_OF_WALL 14	 /* and of the account of all time */

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* libbpf speaks on stderr by itself; its words are for us, not for the user. */
static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	if (level == LIBBPF_DEBUG || !secure_getenv("PROFIL_DEBUG"))
		return 0;
	return vfprintf(stderr, format, args); /* lint: prints, when PROFIL_DEBUG asks */
}

/* Of whom no more is to be seen than the user could see himself. */
static void guard(struct kernel__rodata *rodata)
{
	rodata->guarded = privilege_is_lent();
	rodata->own_uid = getuid();
	rodata->own_gid = getgid();
	rodata->hide_kernel = !privilege_kernel_shown();
}

static int configure(struct engine *engine)
{
	struct kernel *kernel = engine->kernel;
	const struct engine_options *options = &engine->options;
	int ret;

	engine->cell_limit = options->cell_limit ? options->cell_limit : KERNEL_CELLS_DEFAULT;
	kernel->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	kernel->rodata->split = (options->by_process ? KERNEL_SPLIT_PROCESS : 0) |
				(options->by_thread ? KERNEL_SPLIT_THREAD : 0) |
				(options->by_cpu ? KERNEL_SPLIT_CPU : 0) |
				(options->by_cgroup ? KERNEL_SPLIT_CGROUP : 0);
	kernel->rodata->everyone = options->everyone;
	bpf_program__set_autoload(kernel->progs.exited, options->everyone);
	bpf_program__set_autoload(kernel->progs.cpu_came, engine->watch >= 0);
	kernel->rodata->walk_allowed = !options->no_tree_walk;
	guard(kernel->rodata);
	ret = options->call_stacks ? kernel_stacks_configure(engine)
				   : kernel_flat_configure(engine);
	if (!ret)
		ret = kernel_wall_configure(engine);
	if (!ret && kernel->rodata->split)
		ret = bpf_map__set_max_entries(kernel->maps.tasks, KERNEL_TASKS_SPLIT);
	if (!ret && (options->by_process || options->by_thread))
		ret = bpf_map__set_max_entries(kernel->maps.titles, KERNEL_TITLES);
	if (!ret && (options->by_cpu || options->by_cgroup))
		ret = bpf_map__set_max_entries(kernel->maps.owners, KERNEL_TASKS_SPLIT);
	if (!ret && options->by_cgroup)
		ret = bpf_map__set_max_entries(kernel->maps.cgroups, KERNEL_CGROUPS);
	return ret;
}

static int load(struct engine *engine, struct error *reterr)
{
	int ret = kernel_load(engine, configure);

	if (shortage_is(ret))
		return shortage_error(reterr, ret, "kernel engine");
	if (ret)
		return error_set(reterr, ret,
				 "kernel engine: the kernel refused the counting program: %s: "
				 "PROFIL_DEBUG=1 shows its words",
				 strerror(-ret));
	return 0;
}

/* The tracepoints that follow the tree; the clocks come later, with something to measure. */
static int follow(struct engine *engine, struct error *reterr)
{
	struct kernel *kernel = engine->kernel;
	struct bpf_program *programs[] = {
		[KERNEL_FORKED] = kernel->progs.forked,
		[KERNEL_FREED] = kernel->progs.freed,
		[KERNEL_SURVEY] = kernel->progs.survey,
		[KERNEL_EXITED] = kernel->progs.exited,
		[KERNEL_EXECUTED] = kernel->progs.executed,
		[KERNEL_CPU_CAME] = kernel->progs.cpu_came,
		[KERNEL_SWITCHED] = engine->options.call_stacks ? kernel->progs.switched_with_stack
								: kernel->progs.switched,
		[KERNEL_WOKEN] = kernel->progs.woken,
		[KERNEL_WOKEN_NEW] = kernel->progs.woken_new,
		[KERNEL_WAKING] = kernel->progs.waking,
		[KERNEL_LIVES_LEFT] = kernel->progs.lives_left,
	};
	int ret = kernel_wall_open(engine);

	if (ret)
		return shortage_error(reterr, ret, "kernel engine");
	for (size_t i = 0; i < ARRAY_LENGTH(programs); i++) {
		if (!bpf_program__autoload(programs[i]))
			continue;
		ret = kernel_attach(programs[i]);
		if (ret < 0)
			return error_set(reterr, ret,
					 "kernel engine: cannot attach '%s': %s: run as root",
					 bpf_program__name(programs[i]), strerror(-ret));
		engine->followers[i] = ret;
	}
	return 0;
}

static void kernel_close(struct engine *engine)
{
	if (!engine)
		return;
	engine->ops->stop(engine);
	if (engine->watch >= 0)
		close(engine->watch);
	if (engine->wakeup >= 0)
		close(engine->wakeup);
	unwinding_close(engine->unwinding);
	closure_done(&engine->closure);
	for (size_t i = 0; i < ARRAY_LENGTH(engine->followers); i++)
		if (engine->followers[i])
			close(engine->followers[i]);
	kernel__destroy(engine->kernel);
	free(engine);
}

static int open_all(const struct engine_options *options, struct engine **ret_engine,
		    struct error *reterr)
{
	const struct clocks_wish wish = {options->period_ns, options->event, options->everyone};
	struct engine *engine = calloc(1, sizeof(*engine));
	int ret;

	if (!engine)
		return error_set(reterr, -ENOMEM, "kernel engine: out of memory: free some");
	engine->ops = &kernel_engine;
	engine->options = *options;
	/* Events of a tree are counted exactly by one that its first task has and all inherit. */
	if (options->event && options->program && options->clock == CLOCK_USUAL)
		engine->options.clock = CLOCK_TASK;
	options = &engine->options;
	engine->wakeup = -1;
	/* Before the clocks: whoever comes in between is told of. */
	engine->watch = options->clock != CLOCK_TASK ? clocks_watch() : -1;
	libbpf_set_print(quiet);
	/* libbpf takes a call that found none for one that the kernel does not know. */
	ret = shortage_of_descriptors(DESCRIPTORS + (size_t)get_nprocs() +
				      (options->call_stacks ? DESCRIPTORS_OF_STACKS : 0) +
				      (options->wall ? DESCRIPTORS_OF_WALL : 0));
	if (ret)
		(void)shortage_error(reterr, ret, "kernel engine");
	else if (options->wall)
		ret = kernel_wall_probe(reterr);
	if (!ret)
		ret = load(engine, reterr);
	if (!ret)
		ret = follow(engine, reterr);
	if (!ret && options->call_stacks)
		ret = kernel_stacks_open(engine, reterr);
	if (!ret && options->clock != CLOCK_TASK)
		ret = clocks_open_machine(&engine->clocks, &wish, reterr);
	if (ret) {
		kernel_close(engine);
		return ret;
	}
	*ret_engine = engine;
	return 0;
}

/* Maps have their size before it is known what a program loads: where that is more, they are made
 * anew. */
static int open_with_room(const struct engine_options *options, struct engine **ret_engine,
			  struct error *reterr)
{
	struct engine_options roomy = *options;
	int ret = open_all(options, ret_engine, reterr);

	if (ret || options->tables_mib || !options->program || !options->call_stacks)
		return ret;
	roomy.tables_mib = unwinding_wanted_mib((*ret_engine)->unwinding);
	if (!roomy.tables_mib)
		return 0;
	kernel_close(*ret_engine);
	return open_all(&roomy, ret_engine, reterr);
}

static int kernel_open(const struct engine_options *options, struct engine **ret_engine,
		       struct error *reterr)
{
	struct engine *engine = NULL;
	int ret = lent_raise(reterr), lowered;

	if (ret)
		return ret;
	ret = open_with_room(options, &engine, reterr);
	lowered = lent_lower(ret ? NULL : reterr);
	if (!ret && lowered) {
		kernel_close(engine);
		ret = lowered;
	}
	if (!ret)
		*ret_engine = engine;
	return ret;
}

/* The program goes with the event.  A link for each would be a second descriptor a CPU. */
static int switch_on(void *context, int fd)
{
	const struct engine *engine = context;
	const struct bpf_program *tick = engine->options.call_stacks
						 ? engine->kernel->progs.tick_with_stack
						 : engine->kernel->progs.tick;

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(tick)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

static int join(struct engine *engine, pid_t pid)
{
	struct kernel_member member = {.runtime_before = KERNEL_RUNTIME_NOW};
	int pidfd = pidfd_open(pid, 0);
	int ret;

	if (pidfd < 0)
		return -errno;
	ret = bpf_map_update_elem(bpf_map__fd(engine->kernel->maps.members), &pidfd, &member,
				  BPF_NOEXIST);
	close(pidfd);
	if (!ret)
		__atomic_fetch_add(&engine->kernel->bss->tasks_followed, 1, __ATOMIC_RELAXED);
	return ret == -EEXIST ? 0 : ret; /* the same process twice, or a measured one's child */
}

/* All threads of the processes that have joined: a thread that is made by one that has not joined
 * yet is found the next time round.  What is young joins through its parent from then on. */
static int join_threads(struct engine *engine)
{
	volatile struct kernel__bss *bss = engine->kernel->bss;
	uint64_t before;
	int ret, rounds = 0;

	bss->enrolling = true;
	do {
		before = bss->tasks_followed;
		ret = kernel_survey(engine); /* notes the CPU time they have used, too */
	} while (!ret && (rounds++ == 0 || bss->tasks_followed != before));
	bss->enrolling = false;
	return ret;
}

/* A process that has ended since it was named leaves the others. */
static int join_all(struct engine *engine, const pid_t *pids, size_t count)
{
	size_t joined = 0;
	int ret = 0;

	for (size_t i = 0; i < count && (!ret || ret == -ESRCH); i++) {
		ret = join(engine, pids[i]);
		joined += !ret;
	}
	if (ret && (ret != -ESRCH || !joined))
		return ret;
	return join_threads(engine);
}

static int start_all(struct engine *engine, const pid_t *pids, size_t count, struct error *reterr)
{
	const struct engine_options *options = &engine->options;
	const struct clocks_wish wish = {options->period_ns, options->event, /* idle= */ false};
	int ret = 0;

	if (options->clock == CLOCK_TASK)
		ret = clocks_open_task(&engine->clocks, pids[0], &wish, reterr);
	if (ret)
		return ret;
	engine->period_ns = options->event ? 0 : options->period_ns;
	engine->cpus = (uint32_t)engine->clocks.count;
	kernel_wall_begin(engine);
	if (!engine->options.everyone)
		ret = join_all(engine, pids, count);
	if (!ret)
		ret = clocks_scatter(&engine->clocks, switch_on, engine);
	if (!ret && engine->options.everyone)
		ret = join_threads(engine); /* which lets ticks count */
	if (shortage_is(ret))
		return shortage_error(reterr, ret, "kernel engine");
	if (ret)
		return error_set(reterr, ret,
				 "kernel engine: cannot start the clock: %s: run as root",
				 strerror(-ret));
	return 0;
}

static int kernel_start(struct engine *engine, const pid_t *pids, size_t count,
			struct error *reterr)
{
	int ret = lent_raise(reterr), lowered;

	if (ret)
		return ret;
	ret = start_all(engine, pids, count, reterr);
	lowered = lent_lower(ret ? NULL : reterr);
	return ret ? ret : lowered;
}

static int kernel_redraw(struct engine *engine)
{
	struct kernel_counters sum;
	int ret = kernel_counters_sum(engine, &sum);

	if (ret)
		return ret;
	engine->ticks_before_ns = kernel_ticks_ns(engine, sum.fired);
	engine->ticks_before = sum.fired;
	return clocks_redraw(&engine->clocks, &engine->period_ns);
}

static int kernel_wakeup(const struct engine *engine)
{
	return engine->wakeup >= 0 ? engine->wakeup : engine->watch;
}

/* When tasks could first run on CPU; now, where that is not known. */
static uint64_t came_at(struct engine *engine, int cpu)
{
	struct kernel_counters *each;
	uint64_t now = monotonic_ns(), came = 0;
	size_t cpus;

	if (kernel_counters_read(engine, &each, &cpus))
		return now;
	if ((size_t)cpu < cpus)
		came = each[cpu].came_ns;
	free(each);
	return came && came < now ? came : now;
}

/* Where no clock can be had for it, CPU is without one until the end, which is told. */
static int take_cpu(struct engine *engine, int cpu)
{
	int ret;

	engine->cpus_joined++;
	cpu_changes_take(&engine->clockless, 1, came_at(engine, cpu));
	ret = clocks_renew(&engine->clocks, cpu, switch_on, engine);
	if (!ret || ret == -ENODEV)
		cpu_changes_take(&engine->clockless, -1, monotonic_ns());
	return ret;
}

static void follow_cpus(struct engine *engine)
{
	bool came = false;
	int change, cpu;

	while ((change = clocks_told(engine->watch, &cpu))) {
		cpu_changes_take(&engine->cpu_changes, change, monotonic_ns());
		came |= change > 0 && !take_cpu(engine, cpu);
	}
	/* They began with the period that was asked for. */
	if (came && engine->options.redraws)
		(void)kernel_redraw(engine);
}

static void kernel_drain(struct engine *engine)
{
	if (lent_raise(NULL))
		return;
	if (engine->watch >= 0)
		follow_cpus(engine);
	if (engine->unwinding)
		unwinding_serve(engine->unwinding);
	(void)lent_lower(NULL);
}

static void kernel_stop(struct engine *engine)
{
	clocks_close(&engine->clocks);
}

const struct engine_ops kernel_engine = {
	.name = "kernel",
	.title = "kernel engine",
	.event = "cpu-clock",
	.whole_machine = true,
	.call_stacks = true,
	.waits = true,
	.events = true,
	.probe = privilege_probe_kernel,
	.open = kernel_open,
	.start = kernel_start,
	.wakeup = kernel_wakeup,
	.drain = kernel_drain,
	.drains_when_woken = true,
	.progress = kernel_progress,
	.read = kernel_read,
	.memory = kernel_memory,
	.redraw = kernel_redraw,
	.stop = kernel_stop,
	.close = kernel_close,
};
