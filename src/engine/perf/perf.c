// SPDX-License-Identifier: BSD-2-Clause
/* Open clocks on a tree of processes, and keep their rings empty: what comes is in a cell at once
 * (count.h), and no record is kept. */
#include "engine/engine.h"

#include "base/array.h"
#include "engine/clock.h"
#include "engine/perf/clocks.h"
#include "engine/perf/count.h"
#include "engine/privilege.h"
#include "engine/shortage.h"
#include "target/proc.h"
#include "target/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define CELLS_DEFAULT 131072
#define STACK_SIZE_DEFAULT 16384

/* What a CPU dated before this is in its ring by now, even if a host has stopped it meanwhile. */
#define LATE_NS 10000000

#define START_TRIES 10

struct engine {
	struct engine_options options;
	struct perf_clocks clocks;
	struct perf_rings rings;
	struct perf_count count;
	pid_t child;	  /* the first process, which the caller may have started; 0: none yet */
	uint64_t counted; /* once it has stopped */
	bool stopped;
	uint64_t stopped_ns; /* the account of lives ends */
};

static void drain(struct engine *engine, uint64_t before_ns)
{
	perf_rings_drain(&engine->rings, before_ns, perf_count_take, &engine->count);
}

static int perf_probe(struct error *reterr)
{
	return perf_clocks_probe(NULL, reterr);
}

/* Stopped for good: what the rings hold is the last of it. */
static void perf_stop(struct engine *engine)
{
	if (engine->stopped)
		return;
	engine->stopped = true;
	perf_clocks_switch(&engine->clocks, /* on= */ false);
	engine->stopped_ns = monotonic_ns();
	drain(engine, UINT64_MAX);
	for (size_t ring = 0; ring < engine->rings.count; ring++)
		perf_count_lost(&engine->count, ring, perf_clocks_lost(&engine->clocks, ring));
	engine->counted = perf_clocks_counted(&engine->clocks);
	perf_count_settle(&engine->count, engine->counted);
}

static void perf_close(struct engine *engine)
{
	if (!engine)
		return;
	perf_rings_done(&engine->rings);
	perf_clocks_done(&engine->clocks);
	perf_count_done(&engine->count);
	free(engine);
}

/* Of each sample's piece of stack, which the kernel wants in words; 0: none. */
static uint32_t stack_size(const struct engine_options *options)
{
	if (!options->call_stacks)
		return 0;
	return options->stack_size ? options->stack_size & ~7u : STACK_SIZE_DEFAULT;
}

static int prepare(struct engine *engine, struct error *reterr)
{
	const struct engine_options *options = &engine->options;
	struct perf_clocks_wish wish = {
		.period_ns = options->period_ns,
		.event = options->event,
		.stack_size = stack_size(options),
		.switches = options->wall,
	};
	int ret = perf_clocks_init(&engine->clocks, &wish, reterr);

	if (ret)
		return ret;
	engine->rings.count = engine->clocks.cpus * RING_KINDS;
	engine->rings.all = calloc(engine->rings.count, sizeof(*engine->rings.all));
	engine->count = (struct perf_count){
		.by_process = options->by_process,
		.by_thread = options->by_thread,
		.have_counts = perf_clocks_have_counts(&engine->clocks),
		/* An event in user mode alone counts none but those. */
		.hidden = perf_clocks_hide_kernel(&engine->clocks) && !options->event,
		.hide_kernel = !privilege_kernel_shown(),
		.due.period = engine_period(options),
		.stacks.has_callers = perf_clocks_have_callers(&engine->clocks),
		.sample_size = perf_clocks_sample_size(&engine->clocks),
		.cpus = engine->clocks.cpus,
		.lives = {.is_on = options->wall,
			  .by_process = options->by_process,
			  .by_thread = options->by_thread},
		.troubles = calloc(engine->clocks.cpus, sizeof(*engine->count.troubles)),
	};
	ret = perf_cells_init(&engine->count.cells,
			      options->cell_limit ? options->cell_limit : CELLS_DEFAULT);
	if (!ret && options->call_stacks)
		ret = perf_stacks_init(&engine->count.stacks, options);
	if (ret || !engine->rings.all || !engine->count.troubles)
		return error_set(reterr, -ENOMEM, "perf engine: out of memory: free some");
	return 0;
}

static int perf_open(const struct engine_options *options, struct engine **ret_engine,
		     struct error *reterr)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	int ret;

	if (!engine)
		return error_set(reterr, -ENOMEM, "perf engine: out of memory: free some");
	engine->options = *options;
	engine->clocks.wakeups = -1;
	ret = prepare(engine, reterr);
	if (ret) {
		perf_close(engine);
		return ret;
	}
	*ret_engine = engine;
	return 0;
}

/* ---- those that are to be measured ---- */

struct thread {
	pid_t pid, tid;
};

struct threads {
	struct thread *all; /* heap, as /proc has them */
	size_t count, capacity;
};

static int list_one(struct threads *threads, pid_t pid, pid_t tid)
{
	if (ARRAY_RESERVE(threads->all, threads->capacity, threads->count + 1))
		return -ENOMEM;
	threads->all[threads->count++] = (struct thread){pid, tid};
	return 0;
}

/* Where /proc does not tell, PID is a child that has not begun: others are refused before. */
static int list_threads(struct threads *threads, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;
	int ret = 0;

	if (!proc_is_own())
		return list_one(threads, pid, pid);
	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return errno == ENOENT ? 0 : -errno;
	while (!ret && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			ret = list_one(threads, pid, tid);
	}
	closedir(tasks);
	return ret;
}

static int list_all(struct threads *threads, const pid_t *pids, size_t count, struct error *reterr)
{
	int ret = 0;

	threads->count = 0;
	for (size_t i = 0; i < count && !ret; i++)
		ret = list_threads(threads, pids[i]);
	if (shortage_is(ret))
		return shortage_error(reterr, ret, "perf engine");
	if (ret)
		return error_set(reterr, ret, "perf engine: /proc: %s: mount it", strerror(-ret));
	if (!threads->count)
		return error_set(reterr, -ESRCH,
				 "perf engine: no process is there any more: see "
				 "'ps -e'");
	return 0;
}

static int open_all(struct engine *engine, const struct threads *threads, struct error *reterr)
{
	int ret = 0;

	for (size_t i = 0; i < threads->count && (!ret || ret == -ESRCH); i++)
		ret = perf_clocks_open(&engine->clocks, threads->all[i].tid, &engine->rings,
				       reterr);
	return ret == -ESRCH ? 0 : ret;
}

static int reopen(struct engine *engine, struct error *reterr)
{
	perf_rings_done(&engine->rings);
	perf_clocks_done(&engine->clocks);
	perf_count_done(&engine->count);
	return prepare(engine, reterr);
}

/* Whether a thread that was born meanwhile has inherited clocks or not, nobody can tell; twice is
 * worse than none.  So all is opened anew until nobody was born.  In a program that gives birth all
 * the time that may never be: then the last is taken, in which a few may be missing. */
static int open_stable(struct engine *engine, const pid_t *pids, size_t count,
		       struct threads *before, struct error *reterr)
{
	struct threads after = {0};
	int ret = list_all(before, pids, count, reterr);

	for (int tries = 0; !ret; tries++) {
		ret = open_all(engine, before, reterr);
		if (!ret)
			ret = list_all(&after, pids, count, reterr);
		if (ret || tries == START_TRIES ||
		    (before->count == after.count &&
		     !memcmp(before->all, after.all, before->count * sizeof(*before->all))))
			break;
		ret = reopen(engine, reterr);
		if (!ret)
			ret = list_all(before, pids, count, reterr);
	}
	free(after.all);
	return ret;
}

static void adopt(struct engine *engine, const struct thread *thread)
{
	uint32_t pid = (uint32_t)thread->pid, tid = (uint32_t)thread->tid;
	struct histogram_task task = {.pid = pid, .tid = tid};

	/* The child that profil has made has not begun. */
	perf_switches_adopt(&engine->count.lives, &task, /* is_new= */ engine->options.program);
	perf_count_adopt(&engine->count, thread->pid, thread->tid, task.name);
}

/* What is mapped already is read when the clocks are on: from then on the kernel tells changes. */
static int perf_start(struct engine *engine, const pid_t *pids, size_t count, struct error *reterr)
{
	struct threads threads = {0};
	int ret = open_stable(engine, pids, count, &threads, reterr);

	if (!ret) {
		engine->child = pids[0];
		perf_clocks_switch(&engine->clocks, /* on= */ true);
		for (size_t i = 0; i < threads.count; i++)
			adopt(engine, &threads.all[i]);
	}
	free(threads.all);
	return ret;
}

/* ---- while it runs, and at the end ---- */

static int perf_wakeup(const struct engine *engine)
{
	return engine->clocks.wakeups;
}

/* CPUs that go and come need nothing: threads' events outlive that, and wait on a CPU that is off.
 */
static void perf_drain(struct engine *engine)
{
	struct epoll_event woken[16];
	uint64_t now = monotonic_ns();

	while (epoll_wait(engine->clocks.wakeups, woken, ARRAY_LENGTH(woken), 0) > 0)
		;
	drain(engine, now - LATE_NS);
}

/* Nanoseconds, or events. */
static uint64_t counted(const struct engine *engine)
{
	return engine->stopped ? engine->counted : perf_clocks_counted(&engine->clocks);
}

/* Events count a process from its first moment on a CPU on, and to its last but one; the kernel's
 * own account of those that were waited for has the rest, too. */
static uint64_t cpu_ns(const struct engine *engine)
{
	uint64_t clocked = counted(engine);
	uint64_t used = spawn_used_ns(engine->child);

	if (engine->options.event)
		return 0;
	return used > clocked ? used : clocked;
}

/* Whether some of the CPU time is in neither: of threads that have ended, and that nobody waited
 * for. */
static bool is_lower_bound(const struct engine *engine)
{
	const struct perf_count *count = &engine->count;

	return (count->task_ends || count->processes.lost || count->not_followed) &&
	       spawn_used_ns(engine->child) < counted(engine);
}

static int perf_progress(struct engine *engine, struct engine_progress *ret_progress)
{
	perf_drain(engine);
	*ret_progress = (struct engine_progress){
		.ticks = engine->count.fired,
		.cells = engine->count.cells.count,
		.cpu_ns = cpu_ns(engine),
	};
	return 0;
}

static int fill(const struct engine *engine, struct histogram *histogram)
{
	const struct perf_count *count = &engine->count;
	int ret = perf_files_read(&count->processes.files, histogram);

	if (!ret)
		ret = perf_contexts_read(&count->stacks.contexts, histogram);
	if (!ret)
		ret = perf_cells_read(&count->cells, histogram);
	if (!ret)
		ret = perf_tasks_read(&count->tasks, histogram);
	if (!ret)
		ret = lives_read(&count->lives,
				 engine->stopped ? engine->stopped_ns : monotonic_ns(), histogram);
	histogram->fired = count->fired;
	if (engine->options.event)
		histogram->counted = counted(engine);
	else
		histogram->fired_ns = count->fired * engine->options.period_ns;
	memcpy(histogram->unresolved, count->unresolved, sizeof(histogram->unresolved));
	histogram->cpu_ns = cpu_ns(engine);
	histogram->cpu_at_least = histogram->cpu_ns && is_lower_bound(engine);
	/* Without the records that were lost nobody knows. */
	histogram->running = count->processes.lost ? 0 : count->processes.count;
	histogram->task_total = count->task_total;
	histogram->counters = count->task_total * count->cpus;
	histogram->not_followed = count->not_followed;
	histogram->untold = count->processes.lost;
	histogram->cell_limit = count->cells.limit;
	histogram->kernel_hidden = count->hide_kernel;
	return ret;
}

static int perf_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		     struct error *reterr)
{
	struct histogram histogram = {};
	int ret;

	if (final)
		perf_stop(engine);
	else
		perf_drain(engine);
	ret = fill(engine, &histogram);
	if (ret) {
		histogram_done(&histogram);
		return error_set(reterr, ret, "perf engine: cannot read the cells: %s: try again",
				 strerror(-ret));
	}
	*ret_histogram = histogram;
	return 0;
}

static size_t perf_memory(const struct engine *engine, struct engine_memory *parts)
{
	*parts = (struct engine_memory){.name = "rings"};
	for (size_t ring = 0; ring < engine->rings.count; ring++)
		parts->bytes += engine->rings.all[ring].ring.data_size;
	return 1;
}

const struct engine_ops perf_engine = {
	.name = "perf",
	.title = "perf engine",
	.event = "cpu-clock",
	.task_clock_only = true,
	.events = true,
	.tracepoints = true,
#ifdef __x86_64__
	.call_stacks = true,
#endif
	.probe = perf_probe,
	.open = perf_open,
	.start = perf_start,
	.wakeup = perf_wakeup,
	.drain = perf_drain,
	.progress = perf_progress,
	.read = perf_read,
	.memory = perf_memory,
	.stop = perf_stop,
	.close = perf_close,
};
