// SPDX-License-Identifier: BSD-2-Clause
/* Take out what the kernel has counted. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "engine/kernel/wall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

_Static_assert(KERNEL_UNRESOLVED == UNRESOLVED_CELLS_FULL + 1,
	       "kernel.h and histogram.h tell the same");
_Static_assert((int)KERNEL_STACK_EXITING == (int)STACK_EXITING,
	       "stacks.h and histogram.h tell the same");
_Static_assert((int)KERNEL_STACK_INTERPRETED == (int)STACK_INTERPRETED &&
		       (int)KERNEL_STACK_WAITS_FULL == (int)STACK_WAITS_FULL,
	       "stacks.h and histogram.h tell the same");
_Static_assert((int)KERNEL_WALL_OUTSIDE == (int)WALL_OUTSIDE &&
		       (int)KERNEL_WALL_MISSED_IN == (int)WALL_MISSED_IN &&
		       (int)KERNEL_WALL_FACTS == (int)WALL_FACTS,
	       "wall.h and histogram.h tell the same");
_Static_assert(KERNEL_BUILD_ID_MAX == BUILD_ID_MAX, "kernel.h and histogram.h tell the same");

int kernel_survey(struct engine *engine)
{
	struct kernel__bss *bss = engine->kernel->bss;
	char nothing[64];
	ssize_t got;
	int fd = bpf_iter_create(engine->followers[KERNEL_SURVEY]);

	if (fd < 0)
		return -errno;
	bss->tasks_surveyed = bss->processes_running = 0;
	bss->surveyed_runtime = 0;
	do
		got = read(fd, nothing, sizeof(nothing));
	while (got > 0 || (got < 0 && errno == EINTR));
	close(fd);
	return got < 0 ? -errno : 0;
}

static uint64_t runtime_of(const volatile struct kernel__bss *bss)
{
	return bss->exited_runtime + bss->freed_runtime + bss->surveyed_runtime;
}

static void pause_1ms(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* CPU time of everyone, for good, and the last tick.  Others run on and end while it is asked: the
 * survey marks whom it has counted, and of who was nowhere to be seen the rest is counted when it
 * is freed, if that is soon.  In a pid namespace of its own profil sees but its own tasks, and so
 * does not know. */
static int cpu_time_of_all(struct engine *engine, uint64_t *ret_ns)
{
	volatile struct kernel__bss *bss = engine->kernel->bss;
	int ret;

	bss->closing = true;
	ret = kernel_survey(engine);
	for (int i = 0; !ret && i < 100; i++) {
		if (bss->tasks_freed + bss->tasks_surveyed >= bss->tasks_followed)
			break;
		pause_1ms();
	}
	*ret_ns = bss->collector_level ? 0 : runtime_of(bss);
	return ret;
}

/* CPU time of the whole tree.  A task is nowhere to be seen for a moment: taken off the list of
 * tasks, not yet freed (RCU).  WAIT for those; *RET_LACKS: one did not turn up. */
static int cpu_time(struct engine *engine, bool wait, uint64_t *ret_ns, bool *ret_lacks)
{
	volatile struct kernel__bss *bss = engine->kernel->bss;

	for (int tries = 0;; tries++) {
		uint64_t freed = bss->tasks_freed;
		int ret = kernel_survey(engine);

		if (ret)
			return ret;
		*ret_ns = runtime_of(bss);
		*ret_lacks = freed != bss->tasks_freed ||
			     freed + bss->tasks_surveyed != bss->tasks_followed;
		if (!wait || tries == 1000 || !*ret_lacks)
			return 0;
		pause_1ms();
	}
}

int kernel_counters_read(struct engine *engine, struct kernel_counters **ret_each,
			 size_t *ret_count)
{
	int fd = bpf_map__fd(engine->kernel->maps.cpus), cpus = libbpf_num_possible_cpus(), ret;
	size_t stride = (bpf_map__value_size(engine->kernel->maps.cpus) + 7) & ~(size_t)7;
	struct kernel_counters *each;
	uint32_t zero = 0;
	char *states;

	if (cpus < 0)
		return cpus;
	states = calloc((size_t)cpus, stride);
	each = calloc((size_t)cpus, sizeof(*each));
	ret = states && each ? bpf_map_lookup_elem(fd, &zero, states) : -ENOMEM;
	/* struct cpu_state begins with its counters. */
	for (size_t cpu = 0; !ret && cpu < (size_t)cpus; cpu++)
		memcpy(&each[cpu], states + cpu * stride, sizeof(*each));
	free(states);
	if (ret) {
		free(each);
		return ret;
	}
	*ret_each = each;
	*ret_count = (size_t)cpus;
	return 0;
}

int kernel_counters_sum(struct engine *engine, struct kernel_counters *ret_sum)
{
	struct kernel_counters *each;
	uint64_t *to = (uint64_t *)ret_sum; /* they are nothing but __u64 */
	size_t cpus;
	int ret = kernel_counters_read(engine, &each, &cpus);

	if (ret)
		return ret;
	memset(ret_sum, 0, sizeof(*ret_sum));
	for (size_t cpu = 0; cpu < cpus; cpu++)
		for (size_t i = 0; i < sizeof(*ret_sum) / sizeof(*to); i++)
			to[i] += ((const uint64_t *)&each[cpu])[i];
	free(each);
	return 0;
}

uint64_t kernel_ticks_ns(const struct engine *engine, uint64_t fired)
{
	return engine->ticks_before_ns + (fired - engine->ticks_before) * engine->period_ns;
}

int kernel_progress(struct engine *engine, struct engine_progress *ret_progress)
{
	struct kernel_counters sum;
	int ret = kernel_counters_sum(engine, &sum);
	bool lacks;

	if (!ret)
		ret = cpu_time(engine, /* wait= */ false, &ret_progress->cpu_ns, &lacks);
	if (ret)
		return ret;
	ret_progress->ticks = sum.fired;
	/* A cell that is recent on two CPUs, or again, is counted twice: good enough to look at. */
	ret_progress->cells = engine->kernel->bss->cells_used + sum.recent_used;
	return 0;
}

static int read_file(struct engine *engine, const struct kernel_file *file,
		     struct histogram *histogram)
{
	struct histogram_file *to = &histogram->files[histogram->file_count];
	const char *heap = engine->kernel->bss->path_heap;

	to->identity = (struct file_identity){
		.device = makedev(file->key.device >> 20, file->key.device & 0xfffff),
		.inode = file->key.inode,
		.generation = file->key.generation,
		.mtime_ns = file->key.mtime_sec * 1000000000 + file->key.mtime_nsec,
	};
	to->path = strndup(heap + file->path_offset, file->path_length);
	if (!to->path)
		return -ENOMEM;
	to->build_id_size = file->build_id_size;
	memcpy(to->build_id, file->build_id, sizeof(to->build_id));
	to->is_program = file->flags & KERNEL_FILE_PROGRAM;
	to->pid = file->pid;
	to->mounts = file->mounts;
	to->overflow = file->overflow;
	histogram->file_count++;
	return 0;
}

/* NUMBERS[n] becomes the index in HISTOGRAM of the kernel's file n. */
static int read_files(struct engine *engine, uint32_t *numbers, struct histogram *histogram)
{
	struct kernel__bss *bss = engine->kernel->bss;
	uint32_t count = bss->file_count < KERNEL_FILES ? bss->file_count : KERNEL_FILES;
	int ret = ARRAY_RESERVE(histogram->files, histogram->file_capacity, count);

	for (uint32_t i = 0; i < count && !ret; i++) {
		numbers[i] = (uint32_t)histogram->file_count;
		if (bss->files[i].flags & KERNEL_FILE_USED)
			ret = read_file(engine, &bss->files[i], histogram);
	}
	return ret;
}

enum cell_space kernel_space_of(uint32_t file)
{
	switch (file) {
	case KERNEL_SPACE_KERNEL:
		return CELL_KERNEL;
	case KERNEL_SPACE_VDSO:
		return CELL_VDSO;
	case KERNEL_SPACE_VDSO32:
		return CELL_VDSO32;
	case KERNEL_SPACE_ANONYMOUS:
		return CELL_ANONYMOUS;
	case KERNEL_SPACE_PYTHON:
		return CELL_PYTHON;
	default:
		return CELL_FILE;
	}
}

static void overflow(struct histogram *histogram, const uint32_t *numbers,
		     const struct kernel_cell *cell)
{
	if (cell->key.place.file < KERNEL_FILES)
		histogram->files[numbers[cell->key.place.file]].overflow += cell->ticks;
	else
		histogram->unresolved[UNRESOLVED_CELLS_FULL] += cell->ticks;
}

static struct histogram_cell cell_at(const struct kernel_stack_key *key, struct contexts *contexts,
				     const uint32_t *numbers)
{
	enum cell_space space = kernel_space_of(key->place.file);

	struct histogram_cell cell = {
		.space = space,
		.file = space == CELL_FILE ? numbers[key->place.file] : 0,
		.task = key->place.task,
		.address = key->place.address,
		.stack_end = (enum stack_end)key->end,
	};

	bool is_walked = key->context || cell.stack_end == STACK_WHOLE;

	if (is_walked && !kernel_cell_is_sure(contexts, &key->place))
		cell.stack_end = STACK_NO_RULE;
	else
		kernel_context_put(contexts, key->context, &cell);
	return cell;
}

/* What samples are of the time on the wall. */
static int fill_shares(const struct wall *wall, struct contexts *contexts, const uint32_t *numbers,
		       struct histogram *histogram)
{
	if (ARRAY_RESERVE(histogram->amounts, histogram->amount_capacity,
			  histogram->amount_count + wall->share_count))
		return -ENOMEM;
	for (uint32_t i = 0; i < wall->share_count; i++) {
		struct histogram_cell cell = cell_at(&wall->places[i], contexts, numbers);

		cell.ticks = kernel_wall_share_ns(wall->shares[i], wall->period_ns);
		histogram->amounts[histogram->amount_count++] =
			(struct histogram_amount){cell, VALUE_WALL};
	}
	return 0;
}

static int fill_cells(const struct kernel_cells *cells, struct contexts *contexts,
		      const uint32_t *numbers, struct histogram *histogram)
{
	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, cells->kept))
		return -ENOMEM;
	for (size_t i = 0; i < cells->kept; i++) {
		struct histogram_cell cell = cell_at(&cells->cells[i].key, contexts, numbers);

		cell.ticks = cells->cells[i].ticks;
		histogram->cells[histogram->cell_count++] = cell;
	}
	for (size_t i = cells->kept; i < cells->count; i++)
		overflow(histogram, numbers, &cells->cells[i]);
	return 0;
}

/* The cells are taken first: a file or task that turns up meanwhile is one too many, not one that
 * lacks. */
/* PERIOD_NS is that of a sample, the mean where they have several. */
static int read_all(struct engine *engine, bool final, uint64_t period_ns,
		    struct histogram *histogram)
{
	uint32_t *numbers = calloc(KERNEL_FILES, sizeof(*numbers));
	struct kernel_cells cells = {};
	struct contexts *contexts = NULL;
	struct kernel_pythons pythons = {};
	struct wall *wall = NULL;
	int ret = numbers ? 0 : -ENOMEM;

	if (!ret)
		ret = kernel_cells_read(engine, &cells);
	if (!ret && engine->options.wall)
		ret = kernel_wall_read(engine, final, period_ns, &wall);
	if (!ret && engine->options.call_stacks)
		ret = kernel_contexts_read(engine, &contexts);
	if (!ret)
		ret = read_files(engine, numbers, histogram);
	if (!ret && contexts)
		ret = kernel_python_read(engine, &pythons, histogram);
	if (!ret && contexts)
		ret = kernel_contexts_put(contexts, numbers, &pythons, histogram);
	if (!ret)
		ret = fill_cells(&cells, contexts, numbers, histogram);
	if (!ret && wall)
		ret = kernel_wall_put(wall, contexts, histogram);
	if (!ret && wall)
		ret = fill_shares(wall, contexts, numbers, histogram);
	if (!ret)
		ret = kernel_read_tasks(engine, histogram);
	if (!ret)
		ret = kernel_contexts_place(histogram);
	if (!ret)
		ret = kernel_read_idle(engine, histogram);
	kernel_wall_done(wall);
	kernel_contexts_done(contexts);
	free(pythons.numbers);
	kernel_cells_done(&cells);
	free(numbers);
	return ret;
}

/* Of everyone: how long that was, and how long on all CPUs, without the time that one was offline.
 */
static void read_times(const struct engine *engine, struct histogram *histogram)
{
	const volatile struct kernel__bss *bss = engine->kernel->bss;
	uint64_t end = bss->closed_ns ? bss->closed_ns : monotonic_ns();
	int64_t more = cpu_changes_ns(&engine->cpu_changes, end);

	histogram->whole_ns = end - bss->opened_ns;
	histogram->machine_ns = histogram->whole_ns * engine->cpus + (uint64_t)more;
}

static void read_counters(struct engine *engine, const struct kernel_counters *sum,
			  struct histogram *histogram)
{
	struct kernel__bss *bss = engine->kernel->bss;

	histogram->fired = sum->fired;
	histogram->fired_ns = kernel_ticks_ns(engine, sum->fired);
	for (size_t i = 0; i < KERNEL_UNRESOLVED; i++)
		histogram->unresolved[i] += sum->unresolved[i];
	histogram->unresolved[UNRESOLVED_GUARDED] += sum->guarded;
	histogram->kernel_hidden = engine->kernel->rodata->hide_kernel;
	histogram->task_total = histogram->counters = bss->tasks_followed;
	histogram->not_followed = bss->tasks_not_followed;
	histogram->cpus_joined = engine->cpus_joined;
	histogram->unclocked_ns = (uint64_t)cpu_changes_ns(&engine->clockless, monotonic_ns());
	histogram->running = bss->processes_running;
	histogram->cell_limit = engine->cell_limit;
	if (engine->options.everyone)
		read_times(engine, histogram);
}

int kernel_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		struct error *reterr)
{
	struct histogram histogram = {};
	struct kernel_counters sum;
	int ret = 0;

	if (final && engine->options.everyone)
		ret = cpu_time_of_all(engine, &histogram.cpu_ns);
	if (engine->options.event && engine->options.clock == CLOCK_TASK)
		histogram.counted = clocks_counted(&engine->clocks);
	if (final)
		engine->ops->stop(engine);
	if (!final || !engine->options.everyone)
		ret = cpu_time(engine, final, &histogram.cpu_ns, &histogram.cpu_at_least);
	if (!ret)
		ret = kernel_counters_sum(engine, &sum);
	if (!ret)
		ret = read_all(engine, final,
			       sum.fired ? kernel_ticks_ns(engine, sum.fired) / sum.fired : 0,
			       &histogram);
	if (ret) {
		histogram_done(&histogram);
		return error_set(reterr, ret, "kernel engine: cannot read the cells: %s: try again",
				 strerror(-ret));
	}
	read_counters(engine, &sum, &histogram);
	if (!final) {
		/* Ticks went on between the counters and the cells: what is charged is what
		 * fired so far. */
		histogram.fired = histogram_charged(&histogram);
		histogram.fired_ns = kernel_ticks_ns(engine, histogram.fired);
	}
	*ret_histogram = histogram;
	return 0;
}
