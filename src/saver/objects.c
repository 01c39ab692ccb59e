// SPDX-License-Identifier: BSD-2-Clause
#include "saver/objects.h"

#include "base/array.h"
#include "base/build_id.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
	struct histogram *histogram;
	struct objects *objects;
	uintptr_t page;
	int ret;
};

static void find_identity(struct histogram_file *file)
{
	struct stat status;

	if (stat(file->path, &status))
		return;
	file->identity.device = status.st_dev;
	file->identity.inode = status.st_ino;
	file->identity.mtime_ns =
		(int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static char *program_path(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (length < 0)
		return strdup(program_invocation_name);
	path[length] = '\0';
	return strdup(path);
}

/* PATH, heap or NULL for want of memory, becomes the histogram's. */
static int take_file(struct histogram *histogram, char *path)
{
	struct histogram_file *file;

	if (!path ||
	    ARRAY_RESERVE(histogram->files, histogram->file_capacity, histogram->file_count + 1)) {
		free(path);
		return -ENOMEM;
	}
	file = &histogram->files[histogram->file_count++];
	file->path = path;
	find_identity(file);
	return 0;
}

/* The program has no name here and comes first. */
static int add_file(struct reading *reading, const struct dl_phdr_info *info)
{
	struct histogram *histogram = reading->histogram;
	bool is_program = !histogram->file_count;
	struct histogram_file *file;

	if (take_file(histogram, is_program ? program_path() : strdup(info->dlpi_name)))
		return -ENOMEM;
	file = &histogram->files[histogram->file_count - 1];
	file->is_program = is_program;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *notes = &info->dlpi_phdr[i];

		if (notes->p_type == PT_NOTE && !file->build_id_size)
			file->build_id_size = (uint8_t)build_id_find(
				(const void *)(info->dlpi_addr + notes->p_vaddr), notes->p_memsz,
				notes->p_align, file->build_id, BUILD_ID_MAX);
	}
	return 0;
}

static int add_segment(struct reading *reading, uintptr_t base, const ElfW(Phdr) * header,
		       uint32_t file)
{
	struct objects *objects = reading->objects;
	uintptr_t start = base + header->p_vaddr, first = start & ~(reading->page - 1);

	if (ARRAY_RESERVE(objects->segments, objects->capacity, objects->count + 1))
		return -ENOMEM;
	objects->segments[objects->count++] = (struct object_segment){
		.start = first,
		.end = (start + header->p_memsz + reading->page - 1) & ~(reading->page - 1),
		.offset = header->p_offset - (start - first),
		.file = file,
	};
	return 0;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct reading *reading = context;
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	uint32_t file = OBJECT_VDSO;
	bool is_vdso = vdso && (const char *)info->dlpi_phdr > (const char *)vdso &&
		       (const char *)info->dlpi_phdr < (const char *)vdso + reading->page;

	if (!is_vdso) {
		reading->ret = add_file(reading, info);
		file = (uint32_t)reading->histogram->file_count - 1;
	}
	for (size_t i = 0; !reading->ret && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && header->p_flags & PF_X)
			reading->ret = add_segment(reading, info->dlpi_addr, header, file);
	}
	return reading->ret;
}

static int compare(const void *left, const void *right)
{
	const struct object_segment *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

int objects_read(struct histogram *histogram, struct objects *ret_objects)
{
	struct reading reading = {
		.histogram = histogram,
		.objects = ret_objects,
		.page = (uintptr_t)sysconf(_SC_PAGESIZE),
	};

	*ret_objects = (struct objects){};
	(void)dl_iterate_phdr(add_object, &reading);
	if (!reading.ret)
		ARRAY_SORT(ret_objects->segments, ret_objects->count, compare);
	return reading.ret;
}

void objects_done(struct objects *objects)
{
	free(objects->segments);
	*objects = (struct objects){};
}

const struct object_segment *objects_find(const struct objects *objects, uintptr_t address)
{
	size_t at = ARRAY_FIRST_NOT(i, objects->count, objects->segments[i].end <= address);

	if (at == objects->count || objects->segments[at].start > address)
		return NULL;
	return &objects->segments[at];
}
