// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"
#include "profile/builder.h"
#include "profile/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "built.h"
#include "samples.h"

/* Who called: from an engine's contexts to a file and back. */

#define KERNEL 0xffffffff81000000

static const struct profile_location *place_of(const struct profile *profile, uint32_t context)
{
	return &profile->locations[profile->contexts[context - 1].location];
}

/* A system call: the kernel's own calls, what they interrupted, and the program's.  Two contexts
 * are equal, one is nobody's, and one is of generated code, whose process no cell has. */
static void an_engines_contexts_are_taken_over(void **state)
{
	struct histogram_file file = {.path = "/nowhere/a.so", .identity = {1, 2, 3, 4}};
	struct histogram_task task = {.pid = 9, .name = "node"};
	struct histogram_context contexts[] = {
		{.space = CELL_ANONYMOUS, .task = 0, .address = 0x7000},
		{.parent = 1, .space = CELL_FILE, .address = 0x101, .folded = true},
		{.parent = 1, .space = CELL_FILE, .address = 0x666},
		{.parent = 2, .space = CELL_FILE, .address = 0x200, .interrupted = true},
		{.parent = 2, .space = CELL_FILE, .address = 0x200, .interrupted = true},
		{.parent = 4, .space = CELL_KERNEL, .address = KERNEL + 0x31},
	};
	struct histogram_cell cells[] = {
		{CELL_KERNEL, 0, NO_TASK, KERNEL, 1, 6, STACK_WHOLE},
		{CELL_KERNEL, 0, NO_TASK, KERNEL, 2, 5, STACK_TOO_DEEP},
		{CELL_KERNEL, 0, NO_TASK, KERNEL, 4, 4, STACK_TOO_DEEP},
		{CELL_KERNEL, 0, NO_TASK, KERNEL, 8, 0, STACK_BUSY},
	};
	struct histogram histogram = {.files = &file,
				      .file_count = 1,
				      .tasks = &task,
				      .task_count = 1,
				      .contexts = contexts,
				      .context_count = ARRAY_LENGTH(contexts),
				      .cells = cells,
				      .cell_count = ARRAY_LENGTH(cells)};
	struct profile *made = built(&histogram), *profile = samples_through_a_file(made);
	const struct profile_context *context;
	uint32_t at;

	assert_int_equal(made->context_count, 4);
	samples_cells_equal(made, profile);
	assert_int_equal(profile->cell_count, 3);
	assert_int_equal(profile->cells[0].ticks, 8);
	assert_int_equal(profile->cells[0].context, 0);
	assert_int_equal(profile->cells[0].stack_end, STACK_BUSY);
	assert_int_equal(profile->cells[1].ticks, 6);
	assert_int_equal(profile->cells[1].stack_end, STACK_TOO_DEEP);
	assert_int_equal(profile->cells[2].ticks, 1);
	assert_int_equal(profile->cells[2].stack_end, STACK_WHOLE);
	at = profile->cells[2].context;
	assert_int_equal(place_of(profile, at)->address, KERNEL + 0x30);
	at = profile->contexts[at - 1].parent;
	assert_int_equal(at, profile->cells[1].context);
	context = &profile->contexts[at - 1];
	assert_true(context->interrupted && !context->folded);
	assert_int_equal(place_of(profile, at)->address, 0x200);
	context = &profile->contexts[context->parent - 1];
	assert_true(context->folded && !context->interrupted);
	assert_int_equal(profile->locations[context->location].address, 0x100);
	at = context->parent;
	assert_int_equal(place_of(profile, at)->address, 0x6fff);
	assert_string_equal(
		profile_text(profile, profile->mappings[place_of(profile, at)->mapping].path),
		"[anon] node (9)");
	assert_int_equal(profile->contexts[at - 1].parent, 0);
	profile_free(made);
	profile_free(profile);
}

/* What is known of a stack is a cell's own: also where it has no callers. */
static void each_end_of_a_stack_is_kept(void **state)
{
	struct profile *profile = profile_new(), *back;
	const struct profile_mapping mapping = {.limit = UINT64_MAX};
	struct profile_location location = {.address = 1};
	const struct profile_context context = {0};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = 1};
	uint32_t index;

	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
	assert_int_equal(profile_add_location(profile, &location, &index), 0);
	assert_int_equal(profile_add_context(profile, &context, &index), 0);
	for (int end = 0; end < STACK_ENDS; end++) {
		cell.stack_end = (enum stack_end)end;
		cell.context = 0;
		assert_int_equal(profile_add_cell(profile, &cell), 0);
		cell.context = end != STACK_NONE;
		assert_int_equal(profile_add_cell(profile, &cell), 0);
		assert_string_not_equal(stack_end_text(cell.stack_end), "");
	}
	back = samples_through_a_file(profile);
	samples_cells_equal(profile, back);
	profile_free(back);
	profile_free(profile);
}

/* A stack of many frames, each its own function's, and cells all the way down. */
static struct profile *deep_profile(uint32_t depth, uint32_t step)
{
	struct profile *profile = profile_new();
	const struct profile_mapping mapping = {.limit = UINT64_MAX};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = 1, .stack_end = STACK_WHOLE};
	uint32_t index;

	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
	for (uint32_t i = 0; i < depth; i++) {
		const struct profile_location location = {.address = i};
		const struct profile_context context = {.parent = i, .location = i};

		assert_int_equal(profile_add_location(profile, &location, &index), 0);
		assert_int_equal(profile_add_context(profile, &context, &index), 0);
		if ((i + 1) % step)
			continue;
		cell.location = i;
		cell.context = i + 1;
		assert_int_equal(profile_add_cell(profile, &cell), 0);
	}
	profile->facts.samples = depth / step;
	return profile;
}

static void a_stack_may_be_deep(void **state)
{
	struct profile *profile = deep_profile(250000, 125000), *back, *sum;
	struct merge *merge = merge_new();
	struct error error;

	back = samples_through_a_file(profile);
	samples_stacks_equal(profile, &profile->cells[0], back, &back->cells[0]);
	samples_stacks_equal(profile, &profile->cells[1], back, &back->cells[1]);
	assert_int_equal(back->context_count, 250000);
	assert_int_equal(merge_add(merge, back, "one", &error), 0);
	assert_int_equal(merge_add(merge, profile, "other", &error), 0);
	assert_int_equal(merge_sum(merge, &sum), 0);
	assert_int_equal(sum->context_count, 250000);
	assert_int_equal(sum->cell_count, 2);
	assert_int_equal(sum->cells[1].ticks, 2);
	samples_stacks_equal(profile, &profile->cells[1], sum, &sum->cells[1]);
	merge_free(merge);
	profile_free(sum);
	profile_free(back);
	profile_free(profile);
}

/* Perf prints where a call returns to; what entered the kernel did not call. */
static void perf_scripts_stacks_are_contexts(void **state)
{
	static const char text[] = "sh 7/7 [000] 1.0: 1000000 cpu-clock:\n"
				   "\tffffffff81000010 work+0x10 ([kernel.kallsyms])\n"
				   "\tffffffff81000021 entry+0x1 ([kernel.kallsyms])\n"
				   "\t            1234 read+0x4 (/bin/sh)\n"
				   "\t            1301 main+0x1 (/bin/sh)\n"
				   "\t              99 [unknown] ([unknown])\n"
				   "\t            1501 never+0x1 (/bin/sh)\n\n";
	static const uint64_t addresses[] = {0x1300, 0x1234, 0xffffffff81000020};
	int fd = memfd_create("profil-test", 0);
	struct profile *profile;
	struct error error;
	char path[64];

	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(format_read(path, NULL, &profile, &error), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(profile->cell_count, 1);
	assert_int_equal(profile->cells[0].context, 3);
	assert_int_equal(profile->cells[0].stack_end, STACK_NOT_READABLE);
	assert_int_equal(profile->context_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(profile->contexts[i].parent, i);
		assert_int_equal(profile->contexts[i].interrupted, i == 1);
		assert_true(place_of(profile, i + 1)->address == addresses[i]);
	}
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_engines_contexts_are_taken_over),
		cmocka_unit_test(each_end_of_a_stack_is_kept),
		cmocka_unit_test(a_stack_may_be_deep),
		cmocka_unit_test(perf_scripts_stacks_are_contexts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
