// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "analysis/callgraph.h"
#include "analysis/callgraph_doubt.h"
#include "analysis/diff.h"
#include "base/array.h"
#include "histogram/region.h"
#include "profile/merge.h"
#include "samples.h"
#include "scratch.h"
#include "view/html.h"

#include <errno.h>

/* Each allocation in its turn fails: what was asked for fails with -ENOMEM and leaves nothing
 * behind (the leak sanitizer looks).  The linker sends this program's calls here. */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *items, size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *items, size_t count, size_t size);

#define ENOUGH SIZE_MAX

static size_t allowed = ENOUGH;

static bool short_of_memory(void)
{
	if (!allowed)
		return true;
	if (allowed != ENOUGH)
		allowed--;
	return false;
}

void *__wrap_malloc(size_t size)
{
	return short_of_memory() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return short_of_memory() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *items, size_t count, size_t size)
{
	return short_of_memory() ? NULL : __real_reallocarray(items, count, size);
}

typedef int attempt(void *context);

/* TRY it with 0, 1, 2 ... allocations, until they suffice: FEWEST or more. */
static void starve(attempt *try, void *context, size_t fewest)
{
	for (size_t enough = 0;; enough++) {
		int ret;

		allowed = enough;
		ret = try(context);
		allowed = ENOUGH;
		if (!ret) {
			assert_true(enough >= fewest);
			return;
		}
		assert_int_equal(ret, -ENOMEM);
	}
}

static int try_to_write(void *profile)
{
	struct error error;

	return pprof_write(profile, scratch("starved.pb.gz"), &error);
}

static int try_to_read(void *context)
{
	struct profile *profile;
	struct error error;
	int ret = pprof_read(scratch("starved.pb.gz"), &profile, &error);

	if (!ret)
		profile_free(profile);
	return ret;
}

static void a_profile_is_written_and_read(void **state)
{
	struct profile *profile = samples_full();

	starve(try_to_write, profile, 10);
	starve(try_to_read, NULL, 10);
	profile_free(profile);
}

static int try_to_build(void *histogram)
{
	struct profile *profile;
	int ret = profile_from_histogram(histogram, &profile);

	if (!ret)
		profile_free(profile);
	return ret;
}

static void a_histogram_becomes_a_profile(void **state)
{
	struct histogram_file files[] = {{.path = "/proc/self/exe", .overflow = 3}, {.path = ""}};
	struct histogram_task tasks[] = {{10, 0, "node"}, {10, 11, "worker"}};
	struct histogram_cell cells[] = {
		{CELL_FILE, 0, HISTOGRAM_NO_TASK, 0x1000, 1}, {CELL_FILE, 1, 1, 0x77, 2},
		{CELL_KERNEL, 0, 0, 0xffffffff81000000, 3},   {CELL_ANONYMOUS, 0, 0, 0x7000, 4},
		{CELL_VDSO, 0, HISTOGRAM_NO_TASK, 0x900, 5},
	};
	struct histogram_call calls[] = {
		{.caller = cells[0], .callee = cells[1], .has_caller = true, .count = 7},
		{.callee = cells[3], .count = 8},
	};
	struct histogram histogram = {
		.files = files,
		.file_count = ARRAY_LENGTH(files),
		.tasks = tasks,
		.task_count = ARRAY_LENGTH(tasks),
		.cells = cells,
		.cell_count = ARRAY_LENGTH(cells),
		.calls = calls,
		.call_count = ARRAY_LENGTH(calls),
		.unresolved = {1},
	};

	starve(try_to_build, &histogram, 10);
}

static int try_to_merge(void *profile)
{
	struct merge *merge = merge_new();
	struct profile *sum;
	struct error error;
	int ret = merge ? 0 : -ENOMEM;

	for (int i = 0; !ret && i < 2; i++)
		ret = merge_add(merge, profile, "full", &error);
	if (!ret)
		ret = merge_sum(merge, &sum);
	if (!ret)
		profile_free(sum);
	merge_free(merge);
	return ret;
}

static int try_to_compare(void *profile)
{
	struct profile *items[] = {profile, profile, profile};
	const struct diff_profiles sides[DIFF_SIDES] = {{items, 2}, {items, 1}};
	struct diff_options options = {.by = TABLE_BY_LINE};
	struct diff *diff;
	int ret = diff_build(sides, &options, &diff, NULL);

	if (!ret)
		diff_free(diff);
	return ret;
}

static void profiles_are_added_up_and_compared(void **state)
{
	struct profile *profile = samples_full();

	profile->cells[0].ticks += EVIDENCE_FLOOR;
	starve(try_to_merge, profile, 20);
	starve(try_to_compare, profile, 20);
	profile_free(profile);
}

static int try_to_show(void *profile)
{
	struct table *table = NULL;
	struct hist *hist = NULL;
	struct annotation *annotation = NULL;
	struct subjects subjects = {0};
	struct symbols *symbols = NULL;
	struct error error;
	size_t bytes;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, &error);

	if (!ret)
		ret = table_build(profile, &(struct table_options){0}, &table, &error);
	if (!ret)
		ret = hist_build(profile, &(struct hist_options){.rows = 1}, &hist, &error);
	if (!ret)
		ret = subjects_find(profile, NULL, &subjects, &error);
	if (!ret)
		ret = annotate(profile, &subjects, 0, symbols, &annotation);
	if (!ret) {
		const struct annotate_view code = {profile, &annotation, 1, 1};
		const struct html_view view = {
			.profile = profile, .table = table, .hist = hist, .code = &code};
		const struct html_style style = {.file = "full"};

		ret = html_write(&view, &style, scratch("starved.html"), &bytes, &error);
	}
	(void)annotation_free(annotation);
	subjects_done(&subjects);
	(void)hist_free(hist);
	(void)table_free(table);
	(void)symbols_close(symbols);
	return ret;
}

static void a_profile_becomes_a_page(void **state)
{
	struct profile *profile = samples_full();

	starve(try_to_show, profile, 40);
	profile_free(profile);
}

static int try_to_graph(void *profile)
{
	struct doubts *doubts = doubts_new();
	struct callgraph *graph = NULL;
	int ret = doubts ? callgraph_build(profile, &graph) : -ENOMEM;

	ret = ret ? ret : doubts_add(doubts, graph);
	ret = ret ? ret : doubts_settle(doubts, graph);
	callgraph_free(graph);
	doubts_free(doubts);
	return ret;
}

static void calls_become_a_graph(void **state)
{
	struct profile *profile = samples_full();

	starve(try_to_graph, profile, 20);
	profile_free(profile);
}

static int try_to_arrange(void *region)
{
	struct region_table *table;
	int ret = region_table_new(region, 1, &table);

	if (!ret)
		region_table_free(table);
	return ret;
}

static void regions_become_a_table(void **state)
{
	uint16_t cells[4];
	struct region region = {.cells = cells, .count = 4, .granule = 16, .width = 2};

	starve(try_to_arrange, &region, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_written_and_read),
		cmocka_unit_test(a_histogram_becomes_a_profile),
		cmocka_unit_test(profiles_are_added_up_and_compared),
		cmocka_unit_test(a_profile_becomes_a_page),
		cmocka_unit_test(calls_become_a_graph),
		cmocka_unit_test(regions_become_a_table),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
