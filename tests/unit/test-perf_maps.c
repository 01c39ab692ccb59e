// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/maps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Executable memory of no file stands in for all: where it lies is what is tested. */
static void map(struct perf_processes *all, struct perf_process *process, uint64_t start,
		uint64_t size)
{
	struct perf_mapped mapped = {.path = "//anon", .pid = process->pid};

	perf_process_map(all, process, start, size, 0, &mapped);
}

static void map_file(struct perf_processes *all, struct perf_process *process, uint64_t start,
		     uint64_t size, uint64_t offset, uint64_t inode)
{
	struct perf_mapped mapped = {.device = 1, .inode = inode, .path = "/no/such/file"};

	perf_process_map(all, process, start, size, offset, &mapped);
}

static void check(const struct perf_process *process, uint64_t address, uint32_t file,
		  uint64_t offset)
{
	const struct perf_mapping *at = perf_process_at(process, address);

	assert_non_null(at);
	assert_int_equal(at->space, CELL_FILE);
	assert_int_equal(at->file, file);
	assert_int_equal(address - at->start + at->offset, offset);
}

static void what_is_mapped_last_counts(void **state)
{
	struct perf_processes all = {0};
	struct perf_process *process = perf_process_add(&all, 5);

	map_file(&all, process, 0x1000, 0x9000, 0, 10);
	map_file(&all, process, 0x4000, 0x1000, 0x70000, 11);
	check(process, 0x3fff, 0, 0x2fff);
	check(process, 0x4000, 1, 0x70000);
	check(process, 0x4fff, 1, 0x70fff);
	check(process, 0x5000, 0, 0x4000); /* what was cut off keeps its place in the file */
	map_file(&all, process, 0x3000, 0x4000, 0, 12);
	check(process, 0x2fff, 0, 0x1fff);
	check(process, 0x4800, 2, 0x1800);
	check(process, 0x7000, 0, 0x6000);
	assert_null(perf_process_at(process, 0xa000));
	assert_null(perf_process_at(process, 0xfff));
	perf_processes_done(&all);
}

/* Mapping upon mapping, drawn at random, is what an array of pages says. */
static void overlaps_are_cut_right(void **state)
{
	enum { PAGES = 64 };
	struct perf_processes all = {0};
	struct perf_process *process = perf_process_add(&all, 5);
	int page_files[PAGES];

	memset(page_files, 0xff, sizeof(page_files));
	for (uint64_t round = 0; round < 2000; round++) {
		uint64_t first = (uint64_t)rand() % PAGES, file = (uint64_t)rand() % 20;
		uint64_t count = 1 + (uint64_t)rand() % (PAGES - first);

		map_file(&all, process, first << 12, count << 12, first << 12, 100 + file);
		for (uint64_t page = first; page < first + count; page++)
			page_files[page] = (int)(100 + file);
		for (uint64_t page = 0; page < PAGES; page++) {
			const struct perf_mapping *at = perf_process_at(process, (page << 12) + 9);

			if (page_files[page] < 0) {
				assert_null(at);
				continue;
			}
			assert_int_equal(all.files.files[at->file].identity.inode,
					 page_files[page]);
			assert_int_equal(at->offset, at->start);
		}
	}
	perf_processes_done(&all);
}

static void a_child_has_what_its_parent_had(void **state)
{
	struct perf_processes all = {0};
	struct perf_process *parent = perf_process_add(&all, 9), *child;

	map_file(&all, parent, 0x1000, 0x1000, 0, 10);
	child = perf_process_add(&all, 5);
	perf_process_copy(child, parent);
	map_file(&all, parent, 0x1000, 0x1000, 0, 11);
	check(child, 0x1000, 0, 0);
	check(parent, 0x1000, 1, 0);
	perf_process_exec(child);
	assert_null(perf_process_at(child, 0x1000));
	map_file(&all, child, 0x8000, 0x1000, 0, 12);
	map_file(&all, child, 0x9000, 0x1000, 0, 13);
	assert_true(all.files.files[2].is_program);
	assert_false(all.files.files[3].is_program);
	perf_process_remove(&all, child);
	assert_null(perf_process_find(&all, 5));
	assert_ptr_equal(perf_process_find(&all, 9), parent);
	map(&all, parent, 0x7000, 0x1000);
	assert_int_equal(perf_process_at(parent, 0x7010)->space, CELL_ANONYMOUS);
	perf_processes_done(&all);
}

/* This very process, as the kernel has it. */
static void what_is_there_is_read(void **state)
{
	struct perf_processes all = {0};
	struct perf_process *self = perf_process_add(&all, getpid());
	const struct perf_mapping *at;

	perf_process_read(&all, self);
	at = perf_process_at(self, (uint64_t)(uintptr_t)what_is_there_is_read);
	assert_non_null(at);
	assert_int_equal(at->space, CELL_FILE);
	assert_non_null(strstr(all.files.files[at->file].path, "test-perf_maps"));
	assert_true(all.files.files[at->file].is_program);
	assert_true(all.files.files[at->file].identity.mtime_ns > 0);
	assert_null(perf_process_at(self, (uint64_t)(uintptr_t)&all)); /* the stack */
	perf_processes_done(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_mapped_last_counts),
		cmocka_unit_test(overlaps_are_cut_right),
		cmocka_unit_test(a_child_has_what_its_parent_had),
		cmocka_unit_test(what_is_there_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
