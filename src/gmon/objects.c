// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/objects.h"

#include "base/build_id.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct object *all; /* atomic */

/* What was seen at the last look. */
static unsigned long long added, removed;

struct look {
	uintptr_t low, high; /* what the caller wants of an object */
	bool is_first;	     /* the program comes first */
	bool has_changed;
	int ret;
};

size_t object_cells(const struct object *object)
{
	return (object->high - object->low) / OBJECT_GRANULE;
}

struct object *objects_first(void)
{
	return __atomic_load_n(&all, __ATOMIC_ACQUIRE);
}

static bool is_gone(const struct object *object)
{
	return __atomic_load_n(&object->is_gone, __ATOMIC_RELAXED);
}

struct object *objects_at(uintptr_t address)
{
	struct object *was = NULL;

	for (struct object *each = objects_first(); each; each = each->next) {
		if (address < each->low || address >= each->high)
			continue;
		if (!is_gone(each))
			return each;
		if (!was)
			was = each;
	}
	return was;
}

/* From the first to the last byte that can run, and where in the file the first is; false: there is
 * none. */
static bool find_text(const struct dl_phdr_info *info, struct object *object)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !segment->p_memsz)
			continue;
		if (start < low) {
			low = start;
			object->offset = segment->p_offset;
		}
		high = start + segment->p_memsz > high ? start + segment->p_memsz : high;
	}
	object->low = low;
	object->high = high;
	return high;
}

static void narrow(const struct look *look, struct object *object)
{
	uintptr_t first = object->low;

	if (look->low < look->high && look->low < object->high && look->high > object->low) {
		object->low = look->low > object->low ? look->low : object->low;
		object->high = look->high < object->high ? look->high : object->high;
	}
	object->low &= ~(uintptr_t)(OBJECT_GRANULE - 1);
	object->high = (object->high + OBJECT_GRANULE - 1) & ~(uintptr_t)(OBJECT_GRANULE - 1);
	object->offset += object->low - first;
}

static size_t in_pages(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

/* Pages that no tick has been in are no memory. */
static void *map(size_t bytes)
{
	void *start = mmap(NULL, in_pages(bytes), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return start == MAP_FAILED ? NULL : start;
}

static int add(const struct object *like)
{
	struct object *object = map(sizeof(*object));

	if (!object)
		return -ENOMEM;
	*object = *like;
	object->cells = map(object_cells(object) * sizeof(*object->cells));
	if (!object->cells) {
		(void)munmap(object, in_pages(sizeof(*object)));
		return -ENOMEM;
	}
	object->next = all;
	__atomic_store_n(&all, object, __ATOMIC_RELEASE);
	return 0;
}

static struct object *find_same(const struct object *like)
{
	for (struct object *each = all; each; each = each->next)
		if (each->base == like->base && each->low == like->low &&
		    each->high == like->high && !strcmp(each->name, like->name))
			return each;
	return NULL;
}

static void find_file(const struct dl_phdr_info *info, struct object *object)
{
	const char *path = object->is_program ? "/proc/self/exe" : object->path;
	struct stat status;

	for (size_t i = 0; i < info->dlpi_phnum && !object->build_id_size; i++) {
		const ElfW(Phdr) *notes = &info->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE)
			object->build_id_size = build_id_find(
				(const void *)(info->dlpi_addr + notes->p_vaddr), notes->p_memsz,
				notes->p_align, object->build_id, sizeof(object->build_id));
	}
	if (stat(path, &status))
		return;
	object->device = status.st_dev;
	object->inode = status.st_ino;
	object->mtime_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static void name_file(const struct dl_phdr_info *info, struct object *object)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	if (object->is_program) {
		if (readlink("/proc/self/exe", object->path, sizeof(object->path) - 1) < 0)
			(void)snprintf(object->path, sizeof(object->path), "%s",
				       program_invocation_name);
		return;
	}
	(void)snprintf(object->name, sizeof(object->name), "%s", slash + 1);
	(void)snprintf(object->path, sizeof(object->path), "%s", info->dlpi_name);
}

/* That of one that is as good as the same, or the next. */
static uint64_t number_for(const struct object *like)
{
	uint64_t next = 0;

	for (const struct object *each = all; each; each = each->next) {
		if (each->low - each->base == like->low - like->base &&
		    each->high - each->base == like->high - like->base &&
		    each->device == like->device && each->inode == like->inode &&
		    each->mtime_ns == like->mtime_ns && !strcmp(each->path, like->path))
			return each->number;
		next = each->number >= next ? each->number + 1 : next;
	}
	return next;
}

/* The kernel's own object (the vdso) has no file, and so no folder in its name. */
static int see(struct dl_phdr_info *info, size_t size, void *context)
{
	struct look *look = context;
	const char *slash = strrchr(info->dlpi_name, '/');
	struct object seen = {.base = info->dlpi_addr, .is_program = look->is_first};
	struct object *same;

	look->is_first = false;
	if (!seen.is_program && !slash)
		return 0;
	if (!find_text(info, &seen))
		return 0;
	name_file(info, &seen);
	narrow(look, &seen);
	same = find_same(&seen);
	if (same) {
		__atomic_store_n(&same->is_gone, false, __ATOMIC_RELAXED);
		return 0;
	}
	find_file(info, &seen);
	seen.number = number_for(&seen);
	look->has_changed = true;
	look->ret = add(&seen);
	return look->ret;
}

static int see_counters(struct dl_phdr_info *info, size_t size, void *context)
{
	unsigned long long *counters = context;

	counters[0] = info->dlpi_adds;
	counters[1] = info->dlpi_subs;
	return 1;
}

int objects_update(uintptr_t low, uintptr_t high)
{
	struct look look = {.low = low, .high = high, .is_first = true};
	unsigned long long now[2] = {};

	(void)dl_iterate_phdr(see_counters, now);
	if (all && now[0] == added && now[1] == removed)
		return 0;
	look.has_changed = now[1] != removed;
	for (struct object *each = all; each; each = each->next)
		__atomic_store_n(&each->is_gone, true, __ATOMIC_RELAXED);
	(void)dl_iterate_phdr(see, &look);
	added = now[0];
	removed = now[1];
	return look.ret ? look.ret : look.has_changed;
}

void objects_clear(void)
{
	for (struct object *each = all; each; each = each->next)
		(void)madvise(each->cells, in_pages(object_cells(each) * sizeof(*each->cells)),
			      MADV_DONTNEED);
}

struct need {
	const char *library;
	bool is_there;
};

/* The loader has made the string table's address one of memory. */
static int search_program(struct dl_phdr_info *info, size_t size, void *context)
{
	struct need *need = context;
	const ElfW(Dyn) *dynamic = NULL;
	const char *strings = NULL;

	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (const ElfW(Dyn) *each = dynamic; each && each->d_tag != DT_NULL; each++)
		if (each->d_tag == DT_STRTAB)
			strings = (const char *)each->d_un.d_ptr;
	for (const ElfW(Dyn) *each = dynamic; strings && each->d_tag != DT_NULL; each++)
		if (each->d_tag == DT_NEEDED && !strcmp(strings + each->d_un.d_val, need->library))
			need->is_there = true;
	return 1;
}

bool objects_program_needs(const char *library)
{
	struct need need = {.library = library};

	(void)dl_iterate_phdr(search_program, &need);
	return need.is_there;
}
