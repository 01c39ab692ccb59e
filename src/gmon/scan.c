// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/scan.h"

#include "gmon/clock.h"

#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Documentation/admin-guide/mm/pagemap.rst: eight bytes a page.  What is swapped out holds ticks
 * like what is present. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)

/* Where the kernel counts, it writes to pages that this process need not have looked at. */
void scan_begin(struct scan *scan, const struct object *object)
{
	scan->object = object;
	scan->next = 0;
	scan->page_count = 0;
	scan->pagemap = -1;
	if (strcmp(clock_engine(), "kernel") != 0)
		scan->pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

void scan_end(struct scan *scan)
{
	if (scan->pagemap >= 0)
		(void)close(scan->pagemap);
	scan->pagemap = -1;
}

/* PAGE as /proc counts them, from address 0 on. */
static bool is_there(struct scan *scan, size_t page)
{
	ssize_t got;

	if (page < scan->page || page - scan->page >= scan->page_count) {
		got = pread(scan->pagemap, scan->pages, sizeof(scan->pages),
			    (off_t)(page * sizeof(*scan->pages)));
		scan->page = page;
		scan->page_count = got > 0 ? (size_t)got / sizeof(*scan->pages) : 0;
		if (!scan->page_count)
			scan_end(scan);
	}
	return !scan->page_count || scan->pages[page - scan->page] & (PAGE_PRESENT | PAGE_SWAPPED);
}

bool scan_next(struct scan *scan, size_t *ret_cell, uint64_t *ret_ticks)
{
	const uint64_t *cells = scan->object->cells;
	size_t page = (size_t)sysconf(_SC_PAGESIZE), in_page = page / sizeof(*cells);

	while (scan->next < object_cells(scan->object)) {
		size_t cell = scan->next;

		if (cell % in_page == 0 && scan->pagemap >= 0 &&
		    !is_there(scan, (uintptr_t)&cells[cell] / page)) {
			scan->next += in_page;
			continue;
		}
		scan->next++;
		*ret_ticks = __atomic_load_n(&cells[cell], __ATOMIC_RELAXED);
		if (*ret_ticks) {
			*ret_cell = cell;
			return true;
		}
	}
	return false;
}

size_t scan_count(const struct object *object)
{
	size_t count = 0, cell;
	struct scan scan;
	uint64_t ticks;

	scan_begin(&scan, object);
	while (scan_next(&scan, &cell, &ticks))
		count++;
	scan_end(&scan);
	return count;
}
