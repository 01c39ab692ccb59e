// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "built.h"
#include "target/module.h"

/* An offset in this program's own text, and its address. */
static const struct module_segment *own_text(struct module *module)
{
	static const struct file_identity unknown;

	assert_int_equal(module_inspect(own_path(), &unknown, "", module), 0);
	for (size_t i = 0; i < module->segment_count; i++)
		if (module->segments[i].executable)
			return &module->segments[i];
	fail_msg("no text");
	return NULL;
}

static const struct profile_cell *cell_of(const struct profile *profile, enum profile_class class,
					  enum location_kind kind)
{
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];

		if (profile->mappings[location->mapping].class == class && location->kind == kind)
			return cell;
	}
	fail_msg("no cell of class %s", profile_class_name(class));
	return NULL;
}

static void a_program_is_placed_in_its_segment(void **state)
{
	struct histogram_file file = file_at(own_path());
	struct histogram_cell cell = {.task = NO_TASK, .ticks = 5};
	struct histogram histogram = {
		.files = &file, .file_count = 1, .cells = &cell, .cell_count = 1, .fired = 5};
	const struct module_segment *text;
	const struct profile_mapping *mapping;
	struct profile *profile;
	struct module module;

	text = own_text(&module);
	cell.address = text->offset + 8;
	file.is_program = true;
	profile = built(&histogram);
	assert_int_equal(profile->mapping_count, 1);
	mapping = profile->mappings;
	assert_int_equal(mapping->class, CLASS_PROGRAM);
	assert_string_equal(profile_text(profile, mapping->path), own_path());
	assert_string_equal(profile_text(profile, mapping->build_id), module.build_id);
	assert_string_equal(profile_text(profile, mapping->note), "");
	assert_int_equal(mapping->start % 4096, 0);
	assert_int_equal(mapping->limit % 4096, 0);
	assert_true(mapping->start <= text->address);
	assert_true(mapping->limit >= text->address + text->size);
	assert_int_equal(mapping->start - mapping->offset, text->address - text->offset);
	assert_memory_equal(&mapping->identity.device, &file.identity.device, 8);
	assert_int_equal(profile->locations[0].address, text->address + 8);
	assert_int_equal(profile->cells[0].ticks, 5);
	assert_int_equal(profile->cells[0].task, PROFILE_NO_TASK);
	module_done(&module);
	profile_free(profile);
}

static void a_file_that_is_gone_keeps_its_offsets(void **state)
{
	struct histogram_file file = {
		.path = "/nowhere/lib.so",
		.identity = {1, 2, 3, 4},
		.build_id = {0xab, 0x01},
		.build_id_size = 2,
		.overflow = 7,
	};
	struct histogram_cell cell = {.task = NO_TASK, .address = 0x1234, .ticks = 5};
	struct histogram histogram = {
		.files = &file, .file_count = 1, .cells = &cell, .cell_count = 1};
	const struct profile_location *location;
	struct profile *profile;

	profile = built(&histogram);
	assert_int_equal(profile->mapping_count, 1);
	assert_int_equal(profile->mappings[0].start, 0);
	assert_string_equal(profile_text(profile, profile->mappings[0].build_id), "ab01");
	assert_string_equal(profile_text(profile, profile->mappings[0].note),
			    module_state_text(MODULE_MISSING));
	location =
		&profile->locations[cell_of(profile, CLASS_LIBRARIES, LOCATION_ADDRESS)->location];
	assert_int_equal(location->address, 0x1234);
	assert_int_equal(cell_of(profile, CLASS_LIBRARIES, LOCATION_OVERFLOW)->ticks, 7);
	profile_free(profile);
}

static void a_changed_file_is_not_looked_into(void **state)
{
	struct histogram_file file = file_at(own_path());
	struct histogram_cell cell = {.task = NO_TASK, .address = 0x1234, .ticks = 5};
	struct histogram histogram = {
		.files = &file, .file_count = 1, .cells = &cell, .cell_count = 1};
	struct profile *profile;

	file.identity.mtime_ns++;
	profile = built(&histogram);
	assert_int_equal(profile->mappings[0].start, 0);
	assert_int_equal(profile->locations[0].address, 0x1234);
	assert_string_equal(profile_text(profile, profile->mappings[0].build_id), "");
	assert_string_equal(profile_text(profile, profile->mappings[0].note),
			    module_state_text(MODULE_CHANGED));
	profile_free(profile);
}

static void a_file_without_a_path_is_called_by_its_inode(void **state)
{
	struct histogram_file file = {.path = "", .identity = {0x801, 77, 0, 1}, .overflow = 1};
	struct histogram histogram = {.files = &file, .file_count = 1};
	struct profile *profile;

	profile = built(&histogram);
	assert_string_equal(profile_text(profile, profile->mappings[0].path),
			    "[device 8:1 inode 77]");
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_placed_in_its_segment),
		cmocka_unit_test(a_file_that_is_gone_keeps_its_offsets),
		cmocka_unit_test(a_changed_file_is_not_looked_into),
		cmocka_unit_test(a_file_without_a_path_is_called_by_its_inode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
