// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profile.h"

#include "base/array.h"
#include "profile/file_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a histogram to a profile: each cell is placed in a mapping, then tasks, mappings and cells
 * are put in an order of their own, for an engine hands its cells over in any order and equal
 * histograms shall give equal profiles. */

#define KERNEL_START 0xffff800000000000
#define NONE UINT32_MAX

/* A cell on its way: where it lies, before there are locations. */
struct placed {
	enum location_kind kind;
	uint32_t mapping, task;
	uint64_t address, ticks;
};

struct build {
	const struct histogram *histogram;
	struct profile *profile;
	struct file_map *files; /* one each of the histogram's */
	struct placed *placed;
	size_t placed_count, placed_capacity;
	uint32_t *tasks;	      /* of each of the histogram's tasks, the profile's number */
	uint32_t *processes;	      /* of each of the profile's tasks, its process's mapping */
	uint32_t spaces[CELL_SPACES]; /* the mapping of each space that has one only */
};

static int place(struct build *build, const struct placed *placed)
{
	if (ARRAY_RESERVE(build->placed, build->placed_capacity, build->placed_count + 1))
		return -ENOMEM;
	build->placed[build->placed_count++] = *placed;
	return 0;
}

/* A mapping of no file, once: *INDEX is NONE before. */
static int add_space(struct build *build, enum profile_class class, const char *path,
		     uint32_t *index)
{
	struct profile_mapping mapping = {.class = class, .limit = UINT64_MAX};

	if (*index != NONE)
		return 0;
	if (class == CLASS_KERNEL)
		mapping.start = KERNEL_START;
	if (profile_string(build->profile, path, &mapping.path))
		return -ENOMEM;
	return profile_add_mapping(build->profile, &mapping, index);
}

static int compare_tasks(const void *left, const void *right)
{
	const struct histogram_task *a = *(const struct histogram_task *const *)left;
	const struct histogram_task *b = *(const struct histogram_task *const *)right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return strncmp(a->name, b->name, sizeof(a->name));
}

static int add_task(struct build *build, const struct histogram_task *task)
{
	struct profile_task added = {.pid = task->pid, .tid = task->tid};
	size_t length = strnlen(task->name, sizeof(task->name));
	uint32_t index;

	if (strings_add(build->profile->strings, task->name, length, &added.name))
		return -ENOMEM;
	return profile_add_task(build->profile, &added, &index);
}

/* USED has room for all tasks: those that have cells go in, each once. */
static size_t collect_tasks(const struct build *build, const struct histogram_task **used)
{
	const struct histogram *histogram = build->histogram;
	size_t count = 0;

	for (size_t i = 0; i < histogram->cell_count; i++) {
		uint32_t task = histogram->cells[i].task;

		if (task >= histogram->task_count || build->tasks[task] != NONE)
			continue;
		build->tasks[task] = 0;
		used[count++] = &histogram->tasks[task];
	}
	return count;
}

/* Number the tasks in their own order; two that nothing tells apart (a process number that was
 * used again, by a program of the same name) become one. */
static int number_tasks(struct build *build)
{
	const struct histogram_task **used;
	size_t room = build->histogram->task_count + 1, count;
	int ret = 0;

	build->tasks = malloc(room * sizeof(*build->tasks));
	build->processes = malloc(room * sizeof(*build->processes));
	used = calloc(room, sizeof(const struct histogram_task *));
	if (!build->tasks || !build->processes || !used) {
		free(used);
		return -ENOMEM;
	}
	memset(build->tasks, 0xff, room * sizeof(*build->tasks));
	memset(build->processes, 0xff, room * sizeof(*build->processes));
	count = collect_tasks(build, used);
	qsort(used, count, sizeof(*used), compare_tasks);
	for (size_t i = 0; !ret && i < count; i++) {
		if (!i || compare_tasks(&used[i - 1], &used[i]))
			ret = add_task(build, used[i]);
		build->tasks[used[i] - build->histogram->tasks] =
			(uint32_t)build->profile->task_count - 1;
	}
	free(used);
	return ret;
}

static uint32_t task_of(const struct build *build, const struct histogram_cell *cell)
{
	return cell->task < build->histogram->task_count ? build->tasks[cell->task]
							 : PROFILE_NO_TASK;
}

/* Equal addresses in two processes' own memory are not the same code, so each process has a
 * mapping of its own.  Its name is that of the process's first task, which is the process itself
 * where it is known. */
static int place_anonymous(struct build *build, struct placed *placed)
{
	const struct profile_task *tasks = build->profile->tasks;
	uint32_t first = placed->task;
	char path[80];
	int ret;

	if (first == PROFILE_NO_TASK) {
		ret = add_space(build, CLASS_ANONYMOUS, "[anon]", &build->spaces[CELL_ANONYMOUS]);
		placed->mapping = build->spaces[CELL_ANONYMOUS];
		return ret;
	}
	while (first && tasks[first - 1].pid == tasks[first].pid)
		first--;
	(void)snprintf(path, sizeof(path), "[anon] %s (%u)",
		       profile_text(build->profile, tasks[first].name), tasks[first].pid);
	ret = add_space(build, CLASS_ANONYMOUS, path, &build->processes[first]);
	placed->mapping = build->processes[first];
	return ret;
}

static int open_file(struct build *build, uint32_t file)
{
	return build->files[file].file
		       ? 0
		       : file_map_open(&build->files[file], &build->histogram->files[file]);
}

static int place_file(struct build *build, const struct histogram_cell *cell, struct placed *placed)
{
	int ret = open_file(build, cell->file);

	if (ret)
		return ret;
	return file_map_place(&build->files[cell->file], build->profile, cell->address,
			      &placed->mapping, &placed->address);
}

static int place_cell(struct build *build, const struct histogram_cell *cell)
{
	static const struct {
		enum profile_class class;
		const char *path;
	} spaces[CELL_SPACES] = {
		[CELL_KERNEL] = {CLASS_KERNEL, "[kernel]"},
		[CELL_VDSO] = {CLASS_VDSO, "[vdso]"},
		[CELL_VDSO32] = {CLASS_VDSO, "[vdso32]"},
	};
	struct placed placed = {
		.task = task_of(build, cell),
		.address = cell->address,
		.ticks = cell->ticks,
	};
	int ret;

	if (cell->space == CELL_FILE) {
		ret = place_file(build, cell, &placed);
	} else if (cell->space == CELL_ANONYMOUS) {
		ret = place_anonymous(build, &placed);
	} else {
		ret = add_space(build, spaces[cell->space].class, spaces[cell->space].path,
				&build->spaces[cell->space]);
		placed.mapping = build->spaces[cell->space];
	}
	return ret ? ret : place(build, &placed);
}

static int place_overflow(struct build *build, uint32_t file)
{
	struct placed placed = {
		.kind = LOCATION_OVERFLOW,
		.task = PROFILE_NO_TASK,
		.ticks = build->histogram->files[file].overflow,
	};

	if (!placed.ticks)
		return 0;
	if (open_file(build, file) || file_map_overflow(&build->files[file], build->profile,
							&placed.mapping, &placed.address))
		return -ENOMEM;
	return place(build, &placed);
}

static int place_unresolved(struct build *build, enum unresolved_reason reason, uint32_t *mapping)
{
	struct placed placed = {
		.kind = LOCATION_UNRESOLVED,
		.task = PROFILE_NO_TASK,
		.address = reason,
		.ticks = build->histogram->unresolved[reason],
	};

	if (!placed.ticks)
		return 0;
	if (add_space(build, CLASS_UNRESOLVED, "[unresolved]", mapping))
		return -ENOMEM;
	placed.mapping = *mapping;
	return place(build, &placed);
}

static int place_all(struct build *build)
{
	const struct histogram *histogram = build->histogram;
	uint32_t unresolved = NONE;
	int ret = 0;

	for (size_t i = 0; !ret && i < histogram->cell_count; i++)
		ret = place_cell(build, &histogram->cells[i]);
	for (size_t i = 0; !ret && i < histogram->file_count; i++)
		ret = place_overflow(build, (uint32_t)i);
	for (size_t i = 0; !ret && i < UNRESOLVED_REASONS; i++)
		ret = place_unresolved(build, (enum unresolved_reason)i, &unresolved);
	return ret;
}

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int compare_text(const struct profile *profile, uint32_t a, uint32_t b)
{
	return strcmp(profile_text(profile, a), profile_text(profile, b));
}

/* The program first, where pprof looks for it, then as the report adds up; 0 for equal ones. */
static int compare_mappings(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;
	const struct profile_mapping *a = &profile->mappings[*(const uint32_t *)left];
	const struct profile_mapping *b = &profile->mappings[*(const uint32_t *)right];
	int order;

	COMPARE(a->class, b->class);
	order = compare_text(profile, a->path, b->path);
	order = order ? order : compare_text(profile, a->build_id, b->build_id);
	order = order ? order : compare_text(profile, a->note, b->note);
	if (order)
		return order;
	COMPARE(a->start, b->start);
	COMPARE(a->limit, b->limit);
	COMPARE(a->offset, b->offset);
	COMPARE(a->identity.device, b->identity.device);
	COMPARE(a->identity.inode, b->identity.inode);
	COMPARE(a->identity.generation, b->identity.generation);
	COMPARE(a->identity.mtime_ns, b->identity.mtime_ns);
	return 0;
}

/* ORDER and NUMBER have a place for each mapping. */
static void renumber_mappings(struct build *build, uint32_t *order, uint32_t *number,
			      struct profile_mapping *sorted)
{
	struct profile *profile = build->profile;
	size_t count = 0;

	for (uint32_t i = 0; i < profile->mapping_count; i++)
		order[i] = i;
	qsort_r(order, profile->mapping_count, sizeof(*order), compare_mappings, profile);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		if (!i || compare_mappings(&order[i - 1], &order[i], profile))
			sorted[count++] = profile->mappings[order[i]];
		number[order[i]] = (uint32_t)count - 1;
	}
	for (size_t i = 0; i < build->placed_count; i++)
		build->placed[i].mapping = number[build->placed[i].mapping];
	memcpy(profile->mappings, sorted, count * sizeof(*sorted));
	profile->mapping_count = count;
}

static int sort_mappings(struct build *build)
{
	size_t room = build->profile->mapping_count + 1;
	struct profile_mapping *sorted = calloc(room, sizeof(*sorted));
	uint32_t *order = calloc(room, sizeof(*order)), *number = calloc(room, sizeof(*number));
	int ret = sorted && order && number ? 0 : -ENOMEM;

	if (!ret)
		renumber_mappings(build, order, number, sorted);
	free(sorted);
	free(order);
	free(number);
	return ret;
}

static int compare_places(const struct placed *a, const struct placed *b)
{
	COMPARE(a->mapping, b->mapping);
	COMPARE(a->kind, b->kind);
	COMPARE(a->address, b->address);
	return 0;
}

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = compare_places(a, b);

	if (order)
		return order;
	COMPARE(a->task, b->task);
	return 0;
}

/* PLACED is sorted: equal places stand side by side and share a location; a cell that equals its
 * neighbour in its task too is added to it. */
static int add_cells(struct build *build)
{
	struct profile *profile = build->profile;
	struct profile_cell cell;
	int ret = 0;

	for (size_t i = 0; !ret && i < build->placed_count; i++) {
		const struct placed *placed = &build->placed[i];
		struct profile_location location = {
			.kind = placed->kind,
			.mapping = placed->mapping,
			.address = placed->address,
		};

		if (i && !compare_placed(placed - 1, placed)) {
			profile->cells[profile->cell_count - 1].ticks += placed->ticks;
			continue;
		}
		if (!i || compare_places(placed - 1, placed))
			ret = profile_add_location(profile, &location, &cell.location);
		cell.task = placed->task;
		cell.ticks = placed->ticks;
		ret = ret ? ret : profile_add_cell(profile, &cell);
	}
	return ret;
}

static void take_facts(const struct histogram *histogram, struct profile_facts *facts)
{
	facts->fired = histogram->fired;
	if (histogram->fired)
		facts->period_ns = (histogram->fired_ns + histogram->fired / 2) / histogram->fired;
	facts->cpu_ns = histogram->cpu_ns;
	facts->task_total = histogram->task_total;
	facts->not_followed = histogram->not_followed;
	facts->cell_limit = histogram->cell_limit;
}

static int build_all(struct build *build)
{
	int ret = number_tasks(build);

	memset(build->spaces, 0xff, sizeof(build->spaces));
	ret = ret ? ret : place_all(build);
	ret = ret ? ret : sort_mappings(build);
	if (ret)
		return ret;
	if (build->placed_count)
		qsort(build->placed, build->placed_count, sizeof(*build->placed), compare_placed);
	take_facts(build->histogram, &build->profile->facts);
	return add_cells(build);
}

int profile_from_histogram(const struct histogram *histogram, struct profile **ret_profile)
{
	struct build build = {.histogram = histogram, .profile = profile_new()};
	int ret = -ENOMEM;

	build.files = calloc(histogram->file_count + 1, sizeof(*build.files));
	if (build.profile && build.files)
		ret = build_all(&build);
	for (size_t i = 0; build.files && i < histogram->file_count; i++)
		file_map_done(&build.files[i]);
	free(build.files);
	free(build.tasks);
	free(build.processes);
	free(build.placed);
	if (ret)
		profile_free(build.profile);
	else
		*ret_profile = build.profile;
	return ret;
}
