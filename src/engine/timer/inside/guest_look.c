// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/guest.h"

#include "base/maps_line.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

/* What is mapped is read from /proc, not from the loader: its lock may be held by a thread that
 * forks, and it knows nothing of code made at run time.  Nothing here allocates but whole pages. */

#define PLACE_BYTES ((uint64_t)1 << 32)

/* ------------------------------------------------------------------ reading */

static ssize_t read_all(int fd, struct space *text)
{
	size_t used = 0;
	ssize_t bytes;

	do {
		int ret = space_reserve(text, used + 2 * PATH_MAX);

		if (ret)
			return ret;
		/* Not read(2) of the C library, which would be a point of cancellation. */
		bytes = syscall(SYS_read, fd, (char *)text->start + used, text->bytes - used - 1);
		if (bytes > 0)
			used += (size_t)bytes;
	} while (bytes > 0 || (bytes < 0 && errno == EINTR));
	if (bytes < 0)
		return -errno;
	((char *)text->start)[used] = '\0';
	return (ssize_t)used;
}

/* Of the calling thread: the process's are empty once its first thread has ended. */
static ssize_t read_maps(struct space *text)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/maps", O_RDONLY | O_CLOEXEC);
	ssize_t bytes;

	if (fd < 0)
		return -errno;
	bytes = read_all((int)fd, text);
	(void)syscall(SYS_close, fd);
	return bytes;
}

/* ------------------------------------------------------------------ places */

/* Where several file systems are shown as one (overlay, btrfs), stat(2) invents a device of major
 * number 0; the mapping knows the real one.  A file that has been changed since, or has gone, has
 * no time that anybody could know. */
static int64_t modified_ns(const struct maps_line *mapping, uint64_t device)
{
	struct stat status;

	if (stat(mapping->path, &status) || status.st_ino != mapping->inode ||
	    (status.st_dev != device && major(status.st_dev)))
		return 0;
	return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static bool is_program(const struct maps_line *mapping)
{
	uintptr_t headers = getauxval(AT_PHDR), entry = getauxval(AT_ENTRY);

	return (headers >= mapping->start && headers < mapping->end) ||
	       (entry >= mapping->start && entry < mapping->end);
}

static struct handoff_place place_of(const struct maps_line *mapping)
{
	struct handoff_place place = {.kind = HANDOFF_ANONYMOUS};

	if (mapping->inode) {
		place.kind = HANDOFF_FILE;
		place.device = makedev(mapping->major, mapping->minor);
		place.inode = mapping->inode;
		place.mtime_ns = modified_ns(mapping, place.device);
		place.is_program = is_program(mapping);
	} else if (!strcmp(mapping->path, "[vdso]")) {
		place.kind = HANDOFF_VDSO;
	}
	return place;
}

/* In the place's own addresses. */
static uint64_t address_of(const struct maps_line *mapping, const struct handoff_place *place)
{
	switch (place->kind) {
	case HANDOFF_FILE:
		return mapping->offset;
	case HANDOFF_VDSO:
		return 0;
	default:
		return mapping->start;
	}
}

static int append(struct guest_map *map, const struct guest_range *range)
{
	int ret = space_reserve(&map->space, (map->count + 1) * sizeof(*range));

	if (!ret)
		((struct guest_range *)map->space.start)[map->count++] = *range;
	return ret;
}

/* A range for each place that MAPPING is in, of which there are mostly one. */
static int take_mapping(struct guest *guest, const struct maps_line *mapping, struct guest_map *map)
{
	struct handoff_place place = place_of(mapping);
	uint64_t address = address_of(mapping, &place), at = mapping->start;
	int ret = 0;

	while (!ret && at < mapping->end) {
		uint64_t rest = PLACE_BYTES - address % PLACE_BYTES;
		struct guest_range range = {
			.start = at,
			.end = mapping->end - at < rest ? mapping->end : at + rest,
			.low = (uint32_t)address,
		};

		place.base = address - address % PLACE_BYTES;
		range.place = handoff_place(guest->handoff, &place,
					    mapping->inode ? mapping->path : NULL);
		if (guest->stacks.wishes && range.place && !place.base)
			guest->stacks.wishes[range.place - 1].is_mapped = 1;
		ret = append(map, &range);
		address += range.end - range.start;
		at = range.end;
	}
	return ret;
}

/* TEXT is cut into lines. */
static int take_all(struct guest *guest, char *text, struct guest_map *map)
{
	int ret = 0;

	map->count = 0;
	for (char *line = text; !ret && *line;) {
		char *end = strchrnul(line, '\n');
		struct maps_line mapping;
		bool is_last = !*end;

		*end = '\0';
		if (maps_line_parse(line, &mapping) && mapping.rights[2] == 'x')
			ret = take_mapping(guest, &mapping, map);
		line = is_last ? end : end + 1;
	}
	return ret;
}

/* ------------------------------------------------------------------ unknown cells */

static const struct guest_range *range_of(const struct guest_map *map, uint64_t address)
{
	const struct guest_range *ranges = map->space.start;

	for (size_t i = 0; i < map->count; i++)
		if (address >= ranges[i].start && address < ranges[i].end)
			return &ranges[i];
	return NULL;
}

/* What CELL counts is at an address that was not known.  It gets to where it belongs, but for what
 * belongs nowhere. */
static void refile(struct guest *guest, const struct guest_map *map, struct handoff_cell *cell)
{
	struct handoff *handoff = guest->handoff;
	uint64_t *callers = guest->stacks.shared.callers;
	uint64_t key = __atomic_load_n(&cell->key, __ATOMIC_RELAXED), ticks, other;
	uint64_t address = handoff_address(handoff, key);
	const struct guest_range *range = range_of(map, address);
	uint32_t task = handoff_key_task(key);

	if (!range || !range->place)
		return;
	if (handoff->places[range->place - 1].kind < HANDOFF_ANONYMOUS)
		task = handoff->by_process || handoff->by_thread
			       ? handoff_task_of_files(handoff, task)
			       : 0;
	ticks = __atomic_exchange_n(&cell->ticks, 0, __ATOMIC_RELAXED);
	if (ticks)
		(void)handoff_add_called(
			handoff, callers,
			handoff_key(range->place, task,
				    range->low + (uint32_t)(address - range->start)),
			callers ? callers[cell - handoff->cells] : 0, ticks, &other);
}

static void refile_all(struct guest *guest, const struct guest_map *map)
{
	for (size_t i = 0; i < GUEST_UNKNOWN; i++) {
		uint64_t cell = __atomic_exchange_n(&guest->unknown[i], 0, __ATOMIC_ACQUIRE);

		if (cell)
			refile(guest, map, &guest->handoff->cells[cell - 1]);
	}
}

/* ------------------------------------------------------------------ the map */

/* It sleeps, for the tick it waits for may be that of a thread of lower priority. */
static void exchange_map(struct guest *guest, struct guest_map *map)
{
	const struct timespec moment = {.tv_nsec = 20000};

	__atomic_store_n(&guest->map, map, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&guest->readers, __ATOMIC_SEQ_CST))
		(void)nanosleep(&moment, NULL);
}

int guest_look(struct guest *guest)
{
	struct guest_map *next = &guest->maps[guest->map == &guest->maps[0]];
	ssize_t bytes;
	int ret;

	/* A tick that finds nothing from here on wants another look. */
	__atomic_store_n(&guest->is_stale, false, __ATOMIC_SEQ_CST);
	bytes = read_maps(&guest->text);
	ret = bytes < 0 ? (int)bytes : take_all(guest, guest->text.start, next);
	if (ret)
		return ret;
	exchange_map(guest, next);
	refile_all(guest, next);
	return 0;
}

void guest_forget_map(struct guest *guest)
{
	exchange_map(guest, NULL);
}

/* ------------------------------------------------------------------ processes */

static void begin(struct guest *guest)
{
	guest->pid = getpid();
	guest->tasks[0] = guest->tasks[1] = 0;
	(void)prctl(PR_GET_NAME, guest->name);
}

void guest_init(struct guest *guest, struct handoff *handoff)
{
	uint64_t before = __atomic_fetch_add(&handoff->programs, 1, __ATOMIC_RELAXED);

	guest->handoff = handoff;
	guest->program = 1 + (uint32_t)(before % HANDOFF_PROGRAMS);
	begin(guest);
}

void guest_forked(struct guest *guest)
{
	begin(guest);
	guest->readers = 0;
	memset(guest->unknown, 0, sizeof(guest->unknown));
	guest_free_benches(guest);
}
