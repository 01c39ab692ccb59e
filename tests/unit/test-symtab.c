// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Code from 0x1000 to 0x2000 and from 0x3000 to 0x3100. */
struct fixture {
	struct spans code;
	struct symtab symtab;
};

static int make(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	assert_int_equal(spans_add(&fixture->code, 0x1000, 0x2000, 0, 0), 0);
	assert_int_equal(spans_add(&fixture->code, 0x3000, 0x3100, 0, 0), 0);
	assert_int_equal(spans_finish(&fixture->code, spans_by_rank), 0);
	*state = fixture;
	return 0;
}

static int unmake(void **state)
{
	struct fixture *fixture = *state;

	symtab_done(&fixture->symtab);
	spans_done(&fixture->code);
	free(fixture);
	return 0;
}

static void add(struct fixture *fixture, uint64_t start, uint64_t size, int bind, int type,
		const char *name)
{
	GElf_Sym symbol = {
		.st_value = start,
		.st_size = size,
		.st_info = GELF_ST_INFO((unsigned int)bind, (unsigned int)type),
	};

	assert_int_equal(symtab_add(&fixture->symtab, &fixture->code, start, &symbol, name), 0);
}

static const char *at(const struct fixture *fixture, uint64_t address)
{
	struct symtab_entry entry;

	return symtab_find(&fixture->symtab, address, &entry) ? entry.name : "";
}

static void past_the_end_is_nobodys(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1000, 0x10, STB_GLOBAL, STT_FUNC, "first");
	add(fixture, 0x1100, 0x10, STB_LOCAL, STT_GNU_IFUNC, "second");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0xfff), "");
	assert_string_equal(at(fixture, 0x1000), "first");
	assert_string_equal(at(fixture, 0x100f), "first");
	assert_string_equal(at(fixture, 0x1010), "");
	assert_string_equal(at(fixture, 0x10ff), "");
	assert_string_equal(at(fixture, 0x110f), "second");
	assert_string_equal(at(fixture, 0x1110), "");
}

static void a_size_ends_with_the_section(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1f00, UINT64_MAX, STB_GLOBAL, STT_FUNC, "liar");
	add(fixture, 0x5000, 0x10, STB_GLOBAL, STT_FUNC, "outside");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0x1fff), "liar");
	assert_string_equal(at(fixture, 0x2000), "");
	assert_string_equal(at(fixture, 0x3000), "");
	assert_string_equal(at(fixture, 0x5000), "");
}

static void without_a_size_to_the_next_or_the_section_end(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1000, 0, STB_GLOBAL, STT_NOTYPE, "one");
	add(fixture, 0x1020, 0, STB_LOCAL, STT_FUNC, "two");
	add(fixture, 0x1040, 0x10, STB_LOCAL, STT_FUNC, "sized");
	add(fixture, 0x3010, 0, STB_GLOBAL, STT_NOTYPE, "last");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0x101f), "one");
	assert_string_equal(at(fixture, 0x103f), "two");
	assert_string_equal(at(fixture, 0x104f), "sized");
	assert_string_equal(at(fixture, 0x1050), "");
	assert_string_equal(at(fixture, 0x30ff), "last");
	assert_string_equal(at(fixture, 0x3100), "");
}

static void a_label_inside_a_function_is_not_one(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1000, 0x100, STB_GLOBAL, STT_FUNC, "function");
	add(fixture, 0x1010, 0, STB_LOCAL, STT_NOTYPE, "label");
	add(fixture, 0x1000, 0, STB_GLOBAL, STT_NOTYPE, "begin");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0x1000), "function");
	assert_string_equal(at(fixture, 0x1080), "function");
	assert_string_equal(at(fixture, 0x1100), "");
}

static void the_best_alias_is_shown(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1000, 0x10, STB_LOCAL, STT_FUNC, "a_local");
	add(fixture, 0x1000, 0x10, STB_GLOBAL, STT_FUNC, "__libc_malloc");
	add(fixture, 0x1000, 0x10, STB_GLOBAL, STT_FUNC, "malloc");
	add(fixture, 0x1000, 0x10, STB_WEAK, STT_FUNC, "weak");
	add(fixture, 0x1100, 0, STB_GLOBAL, STT_FUNC, "sizeless");
	add(fixture, 0x1100, 0x10, STB_LOCAL, STT_FUNC, "sized");
	add(fixture, 0x1200, 0x10, STB_WEAK, STT_FUNC, "weaker");
	add(fixture, 0x1200, 0x10, STB_LOCAL, STT_FUNC, "local");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0x1008), "malloc");
	assert_string_equal(at(fixture, 0x1100), "sized");
	assert_string_equal(at(fixture, 0x1110), "");
	assert_string_equal(at(fixture, 0x1200), "weaker");
}

static void marks_and_data_are_left_out(void **state)
{
	struct fixture *fixture = *state;

	add(fixture, 0x1000, 0, STB_LOCAL, STT_NOTYPE, "$x");
	add(fixture, 0x1000, 0, STB_LOCAL, STT_NOTYPE, ".annobin_a.c");
	add(fixture, 0x1000, 8, STB_GLOBAL, STT_OBJECT, "data");
	add(fixture, 0x1000, 0, STB_LOCAL, STT_SECTION, "");
	add(fixture, 0x1000, 0, STB_LOCAL, STT_FILE, "a.c");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_string_equal(at(fixture, 0x1000), "");
}

static void it_says_where_the_end_is_a_guess(void **state)
{
	struct fixture *fixture = *state;
	struct symtab_entry entry;

	add(fixture, 0x1000, 0, STB_GLOBAL, STT_FUNC, "assembly");
	add(fixture, 0x1100, 4, STB_GLOBAL, STT_FUNC, "compiled");
	assert_int_equal(symtab_finish(&fixture->symtab), 0);
	assert_true(symtab_find(&fixture->symtab, 0x1008, &entry));
	assert_true(entry.has_no_end);
	assert_int_equal(entry.start, 0x1000);
	assert_true(symtab_find(&fixture->symtab, 0x1100, &entry));
	assert_false(entry.has_no_end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(past_the_end_is_nobodys, make, unmake),
		cmocka_unit_test_setup_teardown(a_size_ends_with_the_section, make, unmake),
		cmocka_unit_test_setup_teardown(without_a_size_to_the_next_or_the_section_end, make,
						unmake),
		cmocka_unit_test_setup_teardown(a_label_inside_a_function_is_not_one, make, unmake),
		cmocka_unit_test_setup_teardown(the_best_alias_is_shown, make, unmake),
		cmocka_unit_test_setup_teardown(marks_and_data_are_left_out, make, unmake),
		cmocka_unit_test_setup_teardown(it_says_where_the_end_is_a_guess, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
