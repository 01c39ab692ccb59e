// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"

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

/* Each list ends where there is no name. */
static const struct table {
	const char *rule;
	struct {
		uint64_t start, size;
		int bind, type;
		const char *name;
	} symbols[9];
	struct {
		uint64_t address;
		const char *name; /* "": it has none */
	} wanted[8];
} tables[] = {
	{
		.rule = "past the end is nobody's",
		.symbols = {{0x1000, 0x10, STB_GLOBAL, STT_FUNC, "first"},
			    {0x1100, 0x10, STB_LOCAL, STT_GNU_IFUNC, "second"}},
		.wanted = {{0xfff, ""},
			   {0x1000, "first"},
			   {0x100f, "first"},
			   {0x1010, ""},
			   {0x10ff, ""},
			   {0x110f, "second"},
			   {0x1110, ""}},
	},
	{
		.rule = "a size ends with the section",
		.symbols = {{0x1f00, UINT64_MAX, STB_GLOBAL, STT_FUNC, "liar"},
			    {0x5000, 0x10, STB_GLOBAL, STT_FUNC, "outside"}},
		.wanted = {{0x1fff, "liar"}, {0x2000, ""}, {0x3000, ""}, {0x5000, ""}},
	},
	{
		.rule = "without a size to the next or the section end",
		.symbols = {{0x1000, 0, STB_GLOBAL, STT_NOTYPE, "one"},
			    {0x1020, 0, STB_LOCAL, STT_FUNC, "two"},
			    {0x1040, 0x10, STB_LOCAL, STT_FUNC, "sized"},
			    {0x3010, 0, STB_GLOBAL, STT_NOTYPE, "last"}},
		.wanted = {{0x101f, "one"},
			   {0x103f, "two"},
			   {0x104f, "sized"},
			   {0x1050, ""},
			   {0x30ff, "last"},
			   {0x3100, ""}},
	},
	{
		.rule = "a label inside a function is not one",
		.symbols = {{0x1000, 0x100, STB_GLOBAL, STT_FUNC, "function"},
			    {0x1010, 0, STB_LOCAL, STT_NOTYPE, "label"},
			    {0x1000, 0, STB_GLOBAL, STT_NOTYPE, "begin"}},
		.wanted = {{0x1000, "function"}, {0x1080, "function"}, {0x1100, ""}},
	},
	{
		.rule = "the best alias is shown",
		.symbols = {{0x1000, 0x10, STB_LOCAL, STT_FUNC, "a_local"},
			    {0x1000, 0x10, STB_GLOBAL, STT_FUNC, "__libc_malloc"},
			    {0x1000, 0x10, STB_GLOBAL, STT_FUNC, "malloc"},
			    {0x1000, 0x10, STB_WEAK, STT_FUNC, "weak"},
			    {0x1100, 0, STB_GLOBAL, STT_FUNC, "sizeless"},
			    {0x1100, 0x10, STB_LOCAL, STT_FUNC, "sized"},
			    {0x1200, 0x10, STB_WEAK, STT_FUNC, "weaker"},
			    {0x1200, 0x10, STB_LOCAL, STT_FUNC, "local"}},
		.wanted = {{0x1008, "malloc"}, {0x1100, "sized"}, {0x1110, ""}, {0x1200, "weaker"}},
	},
	{
		.rule = "marks and data are left out",
		.symbols = {{0x1000, 0, STB_LOCAL, STT_NOTYPE, "$x"},
			    {0x1000, 0, STB_LOCAL, STT_NOTYPE, ".annobin_a.c"},
			    {0x1000, 8, STB_GLOBAL, STT_OBJECT, "data"},
			    {0x1000, 0, STB_LOCAL, STT_SECTION, ""},
			    {0x1000, 0, STB_LOCAL, STT_FILE, "a.c"}},
		.wanted = {{0x1000, ""}},
	},
};

static void rules(void **state)
{
	for (size_t k = 0; k < ARRAY_LENGTH(tables); k++) {
		const struct table *table = &tables[k];
		struct fixture *fixture;

		print_message("# %s\n", table->rule);
		assert_int_equal(make((void **)&fixture), 0);
		for (size_t i = 0; table->symbols[i].name; i++)
			add(fixture, table->symbols[i].start, table->symbols[i].size,
			    table->symbols[i].bind, table->symbols[i].type, table->symbols[i].name);
		assert_int_equal(symtab_finish(&fixture->symtab), 0);
		for (size_t i = 0; table->wanted[i].name; i++)
			assert_string_equal(at(fixture, table->wanted[i].address),
					    table->wanted[i].name);
		assert_int_equal(unmake((void **)&fixture), 0);
	}
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
		cmocka_unit_test(rules),
		cmocka_unit_test_setup_teardown(it_says_where_the_end_is_a_guess, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
