// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/code.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The small programs of tests/data/annotate. */
#define LOOP TESTS "/data/annotate/loop-x86_64"

static void test_functions(void **state)
{
	struct code_function function;
	struct code *code;
	const uint64_t *starts;
	size_t count;

	assert_int_equal(code_open(LOOP, &code), 0);
	assert_int_equal(code_function_at(code, 0x400165, &function), 1);
	assert_string_equal(function.name, "spin");
	assert_int_equal(function.start, 0x400144);
	assert_int_equal(function.end, 0x40019a);
	assert_int_equal(code_function_at(code, 0x40019a, &function), 1);
	assert_string_equal(function.name, "_start");
	assert_int_equal(code_function_at(code, 0x4001b2, &function), 0);
	assert_int_equal(code_function_at(code, 0, &function), 0);
	starts = code_starts(code, &count);
	assert_int_equal(count, 2);
	assert_int_equal(starts[0], 0x400144);
	assert_int_equal(starts[1], 0x40019a);
	assert_int_equal(code_ranges(code)->count, 1);
	code_close(code);
}

static void test_bytes(void **state)
{
	static const uint8_t idiv[] = {0x49, 0xf7, 0xf9};
	struct code *code;

	assert_int_equal(code_open(LOOP, &code), 0);
	assert_memory_equal(code_bytes(code, 0x400165, 3), idiv, 3);
	/* The file ends where its segment does. */
	assert_non_null(code_bytes(code, 0x4001b1, 1));
	assert_null(code_bytes(code, 0x4001b1, 2));
	assert_null(code_bytes(code, 0x400000, UINT64_MAX));
	assert_null(code_bytes(code, 0x10, 1));
	code_close(code);
}

static void test_machines(void **state)
{
	static const struct {
		const char *path;
		int machine;
	} rows[] = {
		{LOOP, EM_X86_64},
		{TESTS "/data/annotate/loop-aarch64", EM_AARCH64},
		{TESTS "/data/annotate/loop-riscv64", EM_RISCV},
	};
	struct code *code;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(code_open(rows[i].path, &code), 0);
		assert_int_equal(code_machine(code), rows[i].machine);
		code_close(code);
	}
}

static void test_not_elf(void **state)
{
	struct code *code;

	assert_int_equal(code_open(TESTS "/data/annotate/loop.c", &code), -ENOEXEC);
	assert_int_equal(code_open("/nonexistent", &code), -ENOENT);
	assert_null(code_close(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_not_elf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
