// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "analysis/names.h"
#include "base/array.h"
#include "built.h"
#include "scratch.h"

#include <string.h>

/* Cells and whose they are, and their one order. */

static void each_process_has_its_own_anonymous_code(void **state)
{
	struct histogram_task tasks[] = {
		{20, 21, "worker"}, {20, 0, "node"}, {10, 0, "java"}, {30, 0, "idle"}};
	struct histogram_cell cells[] = {
		{CELL_ANONYMOUS, 0, 1, 0x7000, 1},
		{CELL_ANONYMOUS, 0, 2, 0x7000, 2},
		{CELL_ANONYMOUS, 0, 0, 0x7000, 4},
	};
	struct histogram histogram = {
		.tasks = tasks, .task_count = 4, .cells = cells, .cell_count = 3};
	struct profile *profile;

	profile = built(&histogram);
	assert_int_equal(profile->mapping_count, 2);
	assert_string_equal(profile_text(profile, profile->mappings[0].path), "[anon] java (10)");
	assert_string_equal(profile_text(profile, profile->mappings[1].path), "[anon] node (20)");
	assert_int_equal(profile->location_count, 2);
	assert_int_equal(profile->cell_count, 3);
	assert_int_equal(profile->task_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		uint32_t mapping = profile->locations[cell->location].mapping;

		assert_int_equal(profile->tasks[cell->task].pid, mapping ? 20 : 10);
	}
	profile_free(profile);
}

static void owners_and_idle_are_kept(void **state)
{
	char *groups[] = {"/", "/a.slice"};
	struct histogram_task tasks[] = {
		{.cpu = 1}, {7, 0, "sh", 2, 2}, {7, 0, "sh", 2, 1}, {7, 0, "sh", 1, 2}};
	struct histogram_cell cells[] = {
		{CELL_IDLE, 0, 0, 0, 1},
		{CELL_KERNEL, 0, 1, 0xffffffff81000000, 2},
		{CELL_KERNEL, 0, 2, 0xffffffff81000000, 4},
		{CELL_KERNEL, 0, 3, 0xffffffff81000000, 8},
	};
	struct histogram histogram = {.tasks = tasks,
				      .task_count = 4,
				      .cells = cells,
				      .cell_count = 4,
				      .cgroups = groups,
				      .cgroup_count = 2,
				      .fired = 15};
	struct profile_account account;
	struct profile *profile;

	profile = built(&histogram);
	assert_int_equal(profile->task_count, 4);
	assert_int_equal(profile->tasks[0].cpu, 1);
	assert_int_equal(profile->tasks[0].pid, 0);
	/* By process, then CPU, then group. */
	for (size_t i = 1; i < 4; i++) {
		const struct profile_task *task = &profile->tasks[i];

		assert_int_equal(task->cpu, i == 1 ? 1 : 2);
		assert_string_equal(profile_text(profile, task->cgroup), i == 2 ? "/" : "/a.slice");
	}
	profile_account(profile, &account);
	assert_int_equal(account.ticks[CLASS_IDLE], 1);
	assert_true(account.listed[CLASS_IDLE]);
	assert_int_equal(account.total, 15);
	profile_free(profile);
}

static void equal_cells_become_one(void **state)
{
	struct histogram_task tasks[] = {{5, 0, "a"}, {5, 0, "a"}, {5, 0, "b"}};
	struct histogram_cell cells[] = {
		{CELL_KERNEL, 0, 0, 0xffffffff81000000, 1},
		{CELL_KERNEL, 0, 2, 0xffffffff81000000, 2},
		{CELL_KERNEL, 0, 1, 0xffffffff81000000, 4},
	};
	struct histogram histogram = {
		.tasks = tasks, .task_count = 3, .cells = cells, .cell_count = 3};
	struct profile *profile;

	profile = built(&histogram);
	assert_int_equal(profile->location_count, 1);
	assert_int_equal(profile->cell_count, 2);
	assert_int_equal(profile->cells[0].ticks, 5);
	assert_int_equal(profile->cells[1].ticks, 2);
	assert_int_equal(profile->mappings[0].start, 0xffff800000000000);
	assert_int_equal(profile->mappings[0].limit, UINT64_MAX);
	profile_free(profile);
}

/* The first and the third file change places. */
static void swap_files(struct histogram *histogram)
{
	struct histogram_file first = histogram->files[0];

	histogram->files[0] = histogram->files[2];
	histogram->files[2] = first;
	for (size_t i = 0; i < histogram->cell_count; i++)
		if (histogram->cells[i].file % 2 == 0)
			histogram->cells[i].file = 2 - histogram->cells[i].file;
}

static void fill_cells(struct histogram *histogram)
{
	for (unsigned i = 0; i < histogram->cell_count; i++) {
		enum cell_space space = i % CELL_SPACES;

		histogram->cells[i] = (struct histogram_cell){
			.space = space,
			.file = i / CELL_SPACES % 4,
			.task = i % 3 || space == CELL_ANONYMOUS ? i % 3 : NO_TASK,
			.address = 0x2000 + i / 10 * 16,
			.ticks = i + 1,
		};
	}
}

static void shuffle_cells(struct histogram *histogram, unsigned seed)
{
	srandom(seed);
	for (size_t i = histogram->cell_count; i-- > 1;) {
		size_t other = (size_t)random() % (i + 1);
		struct histogram_cell swap = histogram->cells[i];

		histogram->cells[i] = histogram->cells[other];
		histogram->cells[other] = swap;
	}
}

static void check_account(const struct profile *profile, uint64_t fired)
{
	struct profile_account account;

	profile_account(profile, &account);
	assert_int_equal(account.total, fired);
	assert_int_equal(account.total, profile->facts.samples);
	assert_int_equal(account.overflow, 11);
	assert_int_equal(account.ticks[CLASS_UNRESOLVED], 9);
	assert_int_equal(account.unresolved[UNRESOLVED_CELLS_FULL], 5);
	assert_int_equal(profile->facts.period_ns, 1000003);
	assert_int_equal(profile->facts.cpu_ns, 12345);
	assert_int_equal(profile->facts.not_followed, 1);
}

/* Everything at once, in an order that SEED makes. */
static void write_shuffled(unsigned seed, const char *path)
{
	struct histogram_file files[] = {
		file_at(own_path()),
		{.path = "/gone/b.so", .identity = {1, 2, 3, 4}, .overflow = 9},
		{.path = "/gone/b.so", .identity = {1, 2, 3, 5}},
		{.path = "/gone/a.so", .identity = {1, 9, 3, 4}, .overflow = 2},
	};
	struct histogram_task tasks[] = {{20, 21, "t"}, {20, 0, "node"}, {10, 0, "java"}};
	struct histogram_cell cells[60];
	struct histogram histogram = {
		.files = files,
		.file_count = ARRAY_LENGTH(files),
		.tasks = tasks,
		.task_count = ARRAY_LENGTH(tasks),
		.cells = cells,
		.cell_count = ARRAY_LENGTH(cells),
		.unresolved = {1, 0, 3, 0, 5},
		.cpu_ns = 12345,
		.not_followed = 1,
	};
	struct profile *profile;
	struct error error;

	fill_cells(&histogram);
	shuffle_cells(&histogram, seed);
	if (seed % 2)
		swap_files(&histogram);
	histogram.fired = histogram_charged(&histogram);
	histogram.fired_ns = histogram.fired * 1000003;
	profile = built(&histogram);
	check_account(profile, histogram.fired);
	assert_int_equal(pprof_write(profile, path, &error), 0);
	profile_free(profile);
}

static void equal_histograms_give_equal_files(void **state)
{
	size_t size, other_size;
	uint8_t *bytes, *other;

	write_shuffled(0, scratch("0"));
	bytes = scratch_read(scratch("0"), &size);
	for (unsigned seed = 1; seed < 8; seed++) {
		write_shuffled(seed, scratch("1"));
		other = scratch_read(scratch("1"), &other_size);
		assert_int_equal(size, other_size);
		assert_memory_equal(bytes, other, size);
		free(other);
	}
	free(bytes);
}

static void a_kernel_that_hides_is_one_line(void **state)
{
	struct histogram_cell cells[] = {
		{.space = CELL_KERNEL, .task = NO_TASK, .ticks = 3},
		{.space = CELL_KERNEL, .task = NO_TASK, .ticks = 4},
	};
	const struct histogram histogram = {
		.cells = cells, .cell_count = 2, .fired = 7, .kernel_hidden = true};
	struct profile *profile;
	char *name;

	profile = built(&histogram);
	assert_int_equal(profile->location_count, 1);
	assert_int_equal(profile->locations[0].address, 0);
	assert_int_equal(profile->cells[0].ticks, 7);
	assert_int_equal(profile->mappings[0].start, 0);
	assert_non_null(strstr(profile_text(profile, profile->mappings[0].note), "kptr_restrict"));
	name = names_bare(profile, &profile->locations[0]);
	assert_string_equal(name, "[kernel]");
	free(name);
	profile_free(profile);
}

static void nothing_measured_is_an_empty_profile(void **state)
{
	struct histogram histogram = {0};
	struct profile *profile;

	profile = built(&histogram);
	assert_int_equal(profile->cell_count, 0);
	assert_int_equal(profile->mapping_count, 0);
	profile_free(profile);
}

/* What a process executes one after the other has code of its own at equal addresses. */
static void each_program_of_a_process_has_its_own_memory(void **state)
{
	struct histogram_task tasks[] = {{20, 0, "b", .exec = 7},  {20, 0, "a", .exec = 5},
					 {20, 0, "b", .exec = 9},  {20, 0, "b"},
					 {30, 31, "t", .exec = 2}, {30, 30, "main"}};
	const char *const paths[] = {"[anon] b (20, exec 1)", "[anon] a (20)",
				     "[anon] b (20, exec 2)", "[anon] main (30)"};
	struct histogram_cell cells[ARRAY_LENGTH(tasks)];
	struct histogram histogram = {.tasks = tasks,
				      .task_count = ARRAY_LENGTH(tasks),
				      .cells = cells,
				      .cell_count = ARRAY_LENGTH(cells)};
	struct profile *profile;
	unsigned found = 0;

	for (uint32_t i = 0; i < ARRAY_LENGTH(cells); i++)
		cells[i] = (struct histogram_cell){.space = tasks[i].exec ? CELL_ANONYMOUS
									  : CELL_KERNEL,
						   .task = i,
						   .address = 0x1000,
						   .ticks = 1u << i};
	assert_int_equal(profile_from_histogram(&histogram, &profile), 0);
	assert_int_equal(profile->cell_count, ARRAY_LENGTH(cells));
	for (size_t i = 0; i < profile->cell_count; i++) {
		uint32_t number = profile->locations[profile->cells[i].location].mapping;
		const char *path = profile_text(profile, profile->mappings[number].path);
		unsigned cell = (unsigned)__builtin_ctzll(profile->cells[i].ticks);

		if (tasks[cell].exec)
			assert_string_equal(path, paths[cell == 4 ? 3 : cell]);
		found |= 1u << cell;
	}
	assert_int_equal(found, 0x3f);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_process_has_its_own_anonymous_code),
		cmocka_unit_test(owners_and_idle_are_kept),
		cmocka_unit_test(equal_cells_become_one),
		cmocka_unit_test(equal_histograms_give_equal_files),
		cmocka_unit_test(a_kernel_that_hides_is_one_line),
		cmocka_unit_test(nothing_measured_is_an_empty_profile),
		cmocka_unit_test(each_program_of_a_process_has_its_own_memory),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
