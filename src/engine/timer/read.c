// SPDX-License-Identifier: BSD-2-Clause
/* From the memory that the programs have counted in to a histogram.  They may have written anything
 * into it, so that nothing there is an index, a length or a text before it was looked at. */
#include "engine/timer/private.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_FILE UINT32_MAX

/* Nobody has had more: at 100,000 Hz it is a CPU's month, and the most cells there can be hold it
 * without overflowing their sum. */
#define TICKS_MOST ((uint64_t)1 << 38)

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static uint64_t load_ticks(const uint64_t *counter)
{
	uint64_t ticks = load(counter);

	return ticks < TICKS_MOST ? ticks : TICKS_MOST;
}

/* Read once: what is written there meanwhile may be anything. */
static enum handoff_kind kind_of(const struct handoff_place *place)
{
	uint32_t kind = __atomic_load_n(&place->kind, __ATOMIC_RELAXED);

	if (!__atomic_load_n(&place->is_ready, __ATOMIC_ACQUIRE) || kind >= HANDOFF_KINDS)
		return HANDOFF_UNKNOWN;
	return (enum handoff_kind)kind;
}

/* ---- files ---- */

/* Each place has a path of its own, so that all together are no longer than what they lie in. Where
 * places have been made to share one, what is too much has none. */
static char *copy_path(struct reading *reading, uint32_t start)
{
	const char *paths = reading->handoff->paths;
	size_t most = reading->path_room, length;
	char *path;

	if (start >= HANDOFF_PATHS)
		start = 0;
	if (most > HANDOFF_PATHS - start)
		most = HANDOFF_PATHS - start;
	length = strnlen(paths + start, most);
	if (length == reading->path_room)
		return strdup("");
	/* It may be another one by now, but not a longer one. */
	path = strndup(paths + start, length);
	reading->path_room -= length + 1;
	return path;
}

static bool is_same(const struct histogram_file *file, const struct handoff_place *place)
{
	return file->identity.inode == place->inode && file->identity.device == place->device &&
	       file->identity.mtime_ns == place->mtime_ns;
}

static int add_file(struct reading *reading, const struct handoff_place *place, uint32_t *ret_file)
{
	struct histogram *histogram = reading->histogram;
	struct histogram_file *file;

	if (ARRAY_RESERVE(histogram->files, histogram->file_capacity, histogram->file_count + 1))
		return -ENOMEM;
	file = &histogram->files[histogram->file_count];
	*file = (struct histogram_file){
		.identity = {.device = place->device,
			     .inode = place->inode,
			     .mtime_ns = place->mtime_ns},
		.path = copy_path(reading, place->path),
	};
	if (!file->path)
		return -ENOMEM;
	*ret_file = (uint32_t)histogram->file_count++;
	return 0;
}

/* Places of one file are parts of it, or were taken by two processes at once. */
static int take_place(struct reading *reading, uint32_t number)
{
	const struct handoff_place *place = &reading->handoff->places[number];
	struct histogram *histogram = reading->histogram;
	uint32_t file = 0;

	if (kind_of(place) != HANDOFF_FILE)
		return 0;
	while (file < histogram->file_count && !is_same(&histogram->files[file], place))
		file++;
	if (file == histogram->file_count && add_file(reading, place, &file))
		return -ENOMEM;
	histogram->files[file].is_program |= place->is_program != 0;
	histogram->files[file].overflow += load_ticks(&place->overflow);
	reading->files[number] = file;
	return 0;
}

static int take_places(struct reading *reading)
{
	int ret = 0;

	memset(reading->files, 0xff, sizeof(reading->files));
	for (uint32_t i = 0; i < HANDOFF_PLACES && !ret; i++)
		ret = take_place(reading, i);
	return ret;
}

/* ---- tasks ---- */

static int take_task(struct reading *reading, uint32_t number)
{
	const struct handoff_task *task = &reading->handoff->tasks[number];
	struct histogram *histogram = reading->histogram;
	uint64_t id = load(&task->id);
	struct histogram_task *added;

	if (!id)
		return 0;
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, histogram->task_count + 1))
		return -ENOMEM;
	added = &histogram->tasks[histogram->task_count];
	*added = (struct histogram_task){
		.pid = (uint32_t)(id >> HANDOFF_ID_BITS) & HANDOFF_ID_MASK,
		.tid = (uint32_t)id & HANDOFF_ID_MASK,
		.exec = (uint32_t)(id >> (2 * HANDOFF_ID_BITS)),
	};
	memcpy(added->name, task->name, sizeof(added->name) - 1);
	reading->tasks[number] = (uint32_t)histogram->task_count++;
	return 0;
}

static int take_tasks(struct reading *reading)
{
	int ret = 0;

	memset(reading->tasks, 0xff, sizeof(reading->tasks));
	for (uint32_t i = 0; i < HANDOFF_TASKS && !ret; i++)
		ret = take_task(reading, i);
	return ret;
}

/* ---- cells ---- */

/* 0 is no task. */
static uint32_t task_of(const struct reading *reading, uint32_t task)
{
	return task && task <= HANDOFF_TASKS ? reading->tasks[task - 1] : HISTOGRAM_NO_TASK;
}

bool preload_place(const struct reading *reading, uint64_t key, struct histogram_cell *cell)
{
	static const enum cell_space spaces[HANDOFF_KINDS] = {
		[HANDOFF_FILE] = CELL_FILE,
		[HANDOFF_VDSO] = CELL_VDSO,
		[HANDOFF_ANONYMOUS] = CELL_ANONYMOUS,
	};
	uint32_t number = handoff_key_place(key) - 1;
	const struct handoff_place *place;
	enum handoff_kind kind;

	if (number >= HANDOFF_PLACES)
		return false;
	place = &reading->handoff->places[number];
	kind = kind_of(place);
	if (kind == HANDOFF_UNKNOWN || (kind == HANDOFF_FILE && reading->files[number] == NO_FILE))
		return false;
	cell->space = spaces[kind];
	cell->file = kind == HANDOFF_FILE ? reading->files[number] : 0;
	cell->task = task_of(reading, handoff_key_task(key));
	cell->address = place->base + (uint32_t)key;
	return true;
}

static int take_cell(struct reading *reading, uint64_t number)
{
	const struct handoff_cell *from = &reading->handoff->cells[number];
	struct histogram *histogram = reading->histogram;
	struct histogram_cell cell = {.ticks = load_ticks(&from->ticks)};
	int ret;

	if (!cell.ticks)
		return 0;
	if (!preload_place(reading, load(&from->key), &cell)) {
		histogram->unresolved[UNRESOLVED_NO_MAPPING] += cell.ticks;
		return 0;
	}
	ret = preload_read_caller(reading, number, &cell);
	if (ret)
		return ret;
	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, histogram->cell_count + 1))
		return -ENOMEM;
	histogram->cells[histogram->cell_count++] = cell;
	return 0;
}

/* The cells that the bytes from START to END of the memory are of. */
static int take_bytes(struct reading *reading, uint64_t start, uint64_t end)
{
	const uint64_t cells = offsetof(struct handoff, cells), size = sizeof(struct handoff_cell);
	uint64_t first = start > cells ? (start - cells) / size : 0;
	uint64_t last = (end - cells + size - 1) / size;
	int ret = 0;

	for (uint64_t i = first; i < last && i < reading->room && !ret; i++)
		ret = take_cell(reading, i);
	return ret;
}

/* Only the pages that something has been written to: to read the others would make them memory. */
static int take_cells(struct reading *reading, int fd)
{
	off_t at = offsetof(struct handoff, cells), end;
	int ret = 0;

	while (!ret && (at = lseek(fd, at, SEEK_DATA)) >= 0) {
		end = lseek(fd, at, SEEK_HOLE);
		if (end < 0)
			return -errno;
		ret = take_bytes(reading, (uint64_t)at, (uint64_t)end);
		at = end;
	}
	return ret ? ret : errno == ENXIO ? 0 : -errno;
}

static int take_all(struct reading *reading, int fd)
{
	int ret = take_places(reading);

	if (!ret)
		ret = take_tasks(reading);
	return ret ? ret : take_cells(reading, fd);
}

/* ---- the account ---- */

/* A tick counts as fired before it is in its cell.  What lacks at the end was on its way when its
 * process was killed; what lacks meanwhile will be there the next time. */
static void balance(struct histogram *histogram, uint64_t fired, bool final)
{
	uint64_t charged = histogram_charged(histogram);

	if (final && fired > charged)
		histogram->unresolved[UNRESOLVED_LOST] += fired - charged;
	histogram->fired = final && fired > charged ? fired : charged;
}

int preload_read(struct engine *engine, bool final, struct histogram *ret_histogram,
		 struct error *reterr)
{
	struct handoff *handoff = engine->handoff;
	struct histogram histogram = {.cell_limit = engine->limit};
	struct reading *reading = malloc(sizeof(*reading));
	uint64_t fired = load_ticks(&handoff->fired); /* before the cells: they have them all */
	int ret = -ENOMEM;

	if (reading) {
		*reading = (struct reading){
			.handoff = handoff,
			.histogram = &histogram,
			.room = engine->room,
			.path_room = HANDOFF_PATHS + HANDOFF_PLACES, /* "" is no place's own */
			.context_room = engine->context_room,
			.stacks = handoff_stacks(handoff, engine->room, engine->context_room),
			.contexts = calloc(engine->context_room + 1, sizeof(uint32_t)),
		};
		ret = reading->contexts ? take_all(reading, engine->fd) : -ENOMEM;
		free(reading->contexts);
	}
	free(reading);
	if (ret) {
		histogram_done(&histogram);
		return error_set(reterr, ret, "timer engine: cannot read the cells: %s: try again",
				 strerror(-ret));
	}
	histogram.unresolved[UNRESOLVED_CELLS_FULL] = load_ticks(&handoff->cells_full);
	histogram.unresolved[UNRESOLVED_FILES_FULL] = load_ticks(&handoff->places_full);
	balance(&histogram, fired, final);
	histogram.fired_ns = histogram.fired * engine->period_ns;
	histogram.cpu_ns = preload_cpu_ns(engine);
	histogram.task_total = load_ticks(&handoff->threads);
	histogram.not_followed = load_ticks(&handoff->not_followed);
	preload_look(engine);
	ret = preload_looks_read(engine, &histogram);
	if (ret) {
		histogram_done(&histogram);
		return error_set(reterr, ret, "timer engine: out of memory: free some");
	}
	*ret_histogram = histogram;
	return 0;
}
