// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include <errno.h>

static int stop_at_two(void *context, size_t index, const struct symbol_place *place)
{
	size_t *calls = context;

	(*calls)++;
	return index == 1 ? -ECANCELED : 0;
}

static void the_taker_can_end_the_walk(void **state)
{
	static const uint64_t addresses[] = {1, 2, 3, 4};
	static const enum symbol_space spaces[] = {SYMBOL_FILE, SYMBOL_KERNEL, SYMBOL_VDSO,
						   SYMBOL_ANON};
	struct named *named = named_open();

	for (size_t i = 0; i < 4; i++) {
		struct symbol_object object = {
			.space = spaces[i], .path = "/proc/self/exe", .build_id = ""};
		size_t calls = 0;

		assert_int_equal(
			symbols_name(named->symbols, &object, addresses, 4, stop_at_two, &calls),
			-ECANCELED);
		assert_int_equal(calls, 2);
	}
	named_close(named);
}

static void nothing_asked_is_nothing_done(void **state)
{
	struct symbol_object object = {
		.space = SYMBOL_FILE, .path = "/nonexistent", .build_id = ""};
	struct named *named = named_open();

	named_ask(named, &object, NULL, 0);
	named_close(named);
}

static void what_cannot_be_opened_is_unknown(void **state)
{
	static const char *const paths[] = {"/nonexistent/program", "/", "/dev/null",
					    "/proc/self/status"};
	static const char *const expected[] = {"UNKNOWN program+0x1000", "UNKNOWN /+0x1000",
					       "UNKNOWN null+0x1000", "UNKNOWN status+0x1000"};
	struct named *named = named_open();

	for (size_t i = 0; i < 4; i++)
		assert_string_equal(named_one(named, paths[i], 0x1000), expected[i]);
	named_close(named);
}

static void a_fifo_is_not_waited_for(void **state)
{
	struct named *named = named_open();
	char path[4096];

	run_in(*state, "mkfifo fifo");
	snprintf(path, sizeof(path), "%s/fifo", (char *)*state);
	assert_string_equal(named_one(named, path, 0), "UNKNOWN fifo+0x0");
	named_close(named);
}

/* More files than are kept open, each asked twice. */
static void many_files_in_turn(void **state)
{
	struct named *named = named_open();

	run_in(*state, "echo 'int work(void) { return 1; }' > work.c &&"
		       " gcc -shared -fPIC -o lib0.so work.c");
	for (int i = 0; i < 40; i++) {
		char path[4096];

		if (i < 20 && i > 0)
			run_in(*state, "cp lib0.so lib%d.so", i);
		snprintf(path, sizeof(path), "%s/lib%d.so", (char *)*state, i % 20);
		assert_string_equal(named_one(named, path, address_of(*state, "lib0.so", "work")),
				    "NAMED work");
	}
	named_close(named);
}

static void closing_nothing_is_allowed(void **state)
{
	assert_null(symbols_close(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_taker_can_end_the_walk),
		cmocka_unit_test(nothing_asked_is_nothing_done),
		cmocka_unit_test(what_cannot_be_opened_is_unknown),
		cmocka_unit_test(a_fifo_is_not_waited_for),
		cmocka_unit_test(many_files_in_turn),
		cmocka_unit_test(closing_nothing_is_allowed),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
