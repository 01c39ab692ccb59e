// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"
#include "libprofil/export.h"
#include "libprofil/session.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Four bytes of text a cell of four: no function begins in the middle of one, and the cells of all
 * text are as large as the text, of which only the pages that a tick has been in are memory. */
#define GRANULE 4
#define WIDTH 4

struct whole {
	struct region *regions;
	size_t count, capacity;
	enum cell_full full;
	int ret;
};

static int add_text(struct whole *whole, uintptr_t start, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t count = ((size + GRANULE - 1) / GRANULE * WIDTH + page - 1) / page * page / WIDTH;
	void *cells;

	if (ARRAY_RESERVE(whole->regions, whole->capacity, whole->count + 1))
		return -ENOMEM;
	cells = mmap(NULL, count * WIDTH, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (cells == MAP_FAILED)
		return -ENOMEM;
	whole->regions[whole->count++] = (struct region){
		.offset = start,
		.cells = cells,
		.count = count,
		.granule = GRANULE,
		.width = WIDTH,
		.full = whole->full,
	};
	return 0;
}

/* Each executable segment of an object that is loaded, from its first page on. */
static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct whole *whole = context;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; !whole->ret && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		uintptr_t first = start & ~(page - 1);

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_memsz)
			whole->ret = add_text(whole, first, start + segment->p_memsz - first);
	}
	return whole->ret;
}

static void drop(struct whole *whole)
{
	for (size_t i = 0; i < whole->count; i++)
		(void)munmap(whole->regions[i].cells, whole->regions[i].count * WIDTH);
}

EXPORT struct profil_measurement *profil_whole(const struct profil_options *options)
{
	struct profil_measurement *measurement = NULL;
	struct profil_options meant;
	struct whole whole = {};
	int ret;

	*session_refusal() = (struct error){};
	ret = session_options(options, &meant);
	if (!ret) {
		whole.full = meant.flags & PROFIL_SATURATE ? CELL_SATURATES : CELL_WRAPS;
		(void)dl_iterate_phdr(add_object, &whole);
		ret = whole.ret;
	}
	if (!ret)
		measurement = session_new(&meant, whole.regions, whole.count);
	else
		errno = -ret;
	if (measurement)
		measurement->owns_cells = true;
	else
		drop(&whole);
	free(whole.regions);
	return measurement;
}
