// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/linked.h"

#include "named.h"

#include <errno.h>

/* A function of each kind, with two local ones of one name in files of one name, in this order. */
static const char source[] = ".file \"one.c\"\n"
			     ".text\n"
			     "low: .skip 16\n"
			     ".type low, @function\n"
			     ".size low, 16\n"
			     ".globl other, shown\n"
			     "hidden: other: shown: .skip 16\n"
			     "inner: .skip 16\n"
			     ".type hidden, @function\n"
			     ".size hidden, 8\n"
			     ".type shown, @function\n"
			     ".size shown, 32\n"
			     ".type inner, @function\n"
			     ".size inner, 16\n"
			     "bare: .skip 16\n"
			     ".type bare, @function\n"
			     ".globl _start\n"
			     ".weak _start\n"
			     "_start: .skip 16\n"
			     ".type _start, @function\n"
			     ".size _start, 16\n";
static const char second[] = ".file \"one.c\"\n"
			     ".text\n"
			     ".skip 16\n"
			     "low: .skip 16\n"
			     ".type low, @function\n"
			     ".size low, 16\n";

static void link_both(const char *folder, const char *after)
{
	write_text(folder, "a.s", source);
	write_text(folder, "b.s", second);
	run_in(folder, "as -o a.o a.s && as -o b.o b.s && ld -o both a.o b.o -Ttext=0x401000 && %s",
	       after);
}

static void open_both(const char *folder, struct linked *linked)
{
	char path[3000];

	snprintf(path, sizeof(path), "%s/both", folder);
	assert_int_equal(linked_open(path, linked), 0);
}

static void check(const struct linked *linked, uint64_t address, uint64_t start, uint64_t end,
		  const char *name, const char *file, uint32_t number)
{
	const struct linked_function *function = linked_find(linked, address);

	assert_non_null(function);
	assert_int_equal(function->start, start);
	assert_int_equal(function->end, end);
	assert_string_equal(function->name ? function->name : "none", name);
	assert_string_equal(function->file ? function->file : "none", file);
	assert_int_equal(function->number, number);
}

static void functions_are_those_of_the_table(void **state)
{
	struct linked linked;

	link_both(*state, "true");
	open_both(*state, &linked);
	check(&linked, 0x401000, 0x401000, 0x401010, "low", "one.c", 1);
	check(&linked, 0x40106f, 0x401060, 0x401070, "low", "one.c", 2);
	/* The global name of several, as long as the longest; what begins in it is in it. */
	check(&linked, 0x401018, 0x401010, 0x401030, "shown", "none", 0);
	check(&linked, 0x40102f, 0x401010, 0x401030, "shown", "none", 0);
	check(&linked, 0x401040, 0x401040, 0x401050, "_start", "none", 0);
	assert_null(linked_find(&linked, 0x400fff));
	assert_null(linked_find(&linked, 0x401030));
	assert_null(linked_find(&linked, 0x401050));
	assert_null(linked_find(&linked, 0x401070));
	linked_close(&linked);
}

/* Without files nothing tells the two of one name apart. */
static void one_name_is_no_name(void **state)
{
	struct linked linked;

	link_both(*state, "objcopy -N one.c both");
	open_both(*state, &linked);
	check(&linked, 0x401000, 0x401000, 0x401010, "none", "none", 2);
	check(&linked, 0x401018, 0x401010, 0x401030, "shown", "none", 0);
	linked_close(&linked);
}

static void stripped_has_none(void **state)
{
	struct linked linked;

	link_both(*state, "strip both");
	open_both(*state, &linked);
	assert_int_equal(linked.count, 0);
	linked_close(&linked);
}

static void not_to_be_read(void **state)
{
	char path[3000];
	struct linked linked;

	write_text(*state, "text", "text\n");
	snprintf(path, sizeof(path), "%s/text", (const char *)*state);
	assert_int_equal(linked_open(path, &linked), -ENOEXEC);
	snprintf(path, sizeof(path), "%s/nothing", (const char *)*state);
	assert_int_equal(linked_open(path, &linked), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_the_table),
		cmocka_unit_test(one_name_is_no_name),
		cmocka_unit_test(stripped_has_none),
		cmocka_unit_test(not_to_be_read),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
