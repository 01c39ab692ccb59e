// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static uint32_t add_place(struct profile *profile, enum profile_class class,
			  enum location_kind kind, uint64_t address, uint64_t ticks)
{
	struct profile_mapping mapping = {.class = class};
	struct profile_location location = {.kind = kind, .address = address};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks};

	assert_int_equal(profile_add_mapping(profile, &mapping, &location.mapping), 0);
	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
	return cell.location;
}

static void a_new_profile_is_empty(void **state)
{
	struct profile *profile = profile_new();
	struct profile_account account;

	assert_non_null(profile);
	profile_account(profile, &account);
	assert_int_equal(account.total, 0);
	assert_false(profile_has_names(profile));
	assert_string_equal(profile_text(profile, 0), "");
	assert_null(profile_free(profile));
	assert_null(profile_free(NULL));
}

static void the_account_adds_up(void **state)
{
	struct profile *profile = profile_new();
	struct profile_account account;
	uint64_t sum = 0;

	add_place(profile, CLASS_PROGRAM, LOCATION_ADDRESS, 0x10, 1);
	add_place(profile, CLASS_PROGRAM, LOCATION_OVERFLOW, 0, 2);
	add_place(profile, CLASS_LIBRARIES, LOCATION_OVERFLOW, 0, 4);
	add_place(profile, CLASS_KERNEL, LOCATION_ADDRESS, 0x10, 8);
	add_place(profile, CLASS_VDSO, LOCATION_ADDRESS, 0x10, 16);
	add_place(profile, CLASS_ANONYMOUS, LOCATION_ADDRESS, 0x10, 32);
	add_place(profile, CLASS_UNRESOLVED, LOCATION_UNRESOLVED, UNRESOLVED_FILES_FULL, 64);
	profile_account(profile, &account);
	assert_int_equal(account.ticks[CLASS_PROGRAM], 3);
	assert_int_equal(account.ticks[CLASS_LIBRARIES], 4);
	assert_int_equal(account.ticks[CLASS_ANONYMOUS], 32);
	assert_int_equal(account.overflow, 6);
	assert_int_equal(account.unresolved[UNRESOLVED_FILES_FULL], 64);
	assert_int_equal(account.unresolved[UNRESOLVED_NO_MAPPING], 0);
	for (size_t i = 0; i < PROFILE_CLASSES; i++)
		sum += account.ticks[i];
	assert_int_equal(account.total, 127);
	assert_int_equal(sum, 127);
	profile_free(profile);
}

static void one_line_is_a_name(void **state)
{
	struct profile *profile = profile_new();

	add_place(profile, CLASS_PROGRAM, LOCATION_ADDRESS, 1, 1);
	assert_false(profile_has_names(profile));
	profile->locations[0].line_count = 1;
	assert_true(profile_has_names(profile));
	profile_free(profile);
}

static void equal_texts_have_one_number(void **state)
{
	struct profile *profile = profile_new();
	uint32_t first, second, other;

	assert_int_equal(profile_string(profile, "main", &first), 0);
	assert_int_equal(profile_string(profile, "other", &other), 0);
	assert_int_equal(profile_string(profile, "main", &second), 0);
	assert_int_equal(first, second);
	assert_int_not_equal(first, other);
	assert_string_equal(profile_text(profile, second), "main");
	profile_free(profile);
}

static void each_class_has_a_name(void **state)
{
	assert_string_equal(profile_class_name(CLASS_PROGRAM), "program");
	assert_string_equal(profile_class_name(CLASS_LIBRARIES), "libraries");
	assert_string_equal(profile_class_name(CLASS_KERNEL), "kernel");
	assert_string_equal(profile_class_name(CLASS_VDSO), "vdso");
	assert_string_equal(profile_class_name(CLASS_ANONYMOUS), "anonymous");
	assert_string_equal(profile_class_name(CLASS_UNRESOLVED), "unresolved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_profile_is_empty),
		cmocka_unit_test(the_account_adds_up),
		cmocka_unit_test(one_line_is_a_name),
		cmocka_unit_test(equal_texts_have_one_number),
		cmocka_unit_test(each_class_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
