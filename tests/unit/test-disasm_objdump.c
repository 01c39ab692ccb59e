// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm_reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "scratch.h"

#define OBJDUMP "riscv64-linux-gnu-objdump"

static const uint8_t code[] = {
	0x63, 0x10, 0xb5, 0x00, /* bne a0, a1, . */
	0x82, 0x80,		/* ret */
	0x97, 0x02, 0x00,	/* cut short */
};

struct seen {
	struct instruction list[8];
	size_t count;
};

static int keep(void *context, const struct instruction *instruction)
{
	struct seen *seen = context;

	assert_true(seen->count < 8);
	seen->list[seen->count++] = *instruction;
	return 0;
}

static int stop(void *context, const struct instruction *instruction)
{
	return -EINTR;
}

static char *path;

static int find_path(void **state)
{
	const char *usual = getenv("PATH");

	path = strdup(usual ? usual : "/usr/bin");
	return path ? scratch_make(state) : -1;
}

static int restore(void **state)
{
	return setenv("PATH", path, 1);
}

static int done(void **state)
{
	free(path);
	return scratch_remove(state);
}

static void test_real(void **state)
{
	struct seen seen = {0};

	if (disasm_objdump_why_not()) {
		print_message("# " OBJDUMP " is not here\n");
		skip();
	}
	assert_int_equal(disasm_objdump_run(code, sizeof(code), 0x1000, keep, &seen), 0);
	assert_int_equal(seen.count, 3);
	assert_string_equal(seen.list[0].text, "bne     a0,a1,0x1000");
	assert_int_equal(seen.list[0].target, 0x1000);
	assert_int_equal(seen.list[0].flow, FLOW_BRANCH);
	assert_string_equal(seen.list[1].text, "ret");
	assert_int_equal(seen.list[1].address, 0x1004);
	assert_int_equal(seen.list[1].flow, FLOW_END);
	assert_int_equal(seen.list[2].size, 3);
	assert_int_equal(seen.list[2].flow, FLOW_NEXT);
	/* In newer binutils it is a ".word". */
	assert_int_equal(seen.list[2].text[0], '.');
	assert_int_equal(disasm_objdump_run(code, sizeof(code), 0x1000, stop, NULL), -EINTR);
	assert_int_equal(disasm_objdump_run(code, 0, 0x1000, stop, NULL), 0);
}

/* Addresses of the kernel, which are beyond what has a sign. */
static void test_high(void **state)
{
	struct seen seen = {0};
	uint64_t high = UINT64_C(0xffffffff80000000);

	if (disasm_objdump_why_not()) {
		print_message("# " OBJDUMP " is not here\n");
		skip();
	}
	assert_int_equal(disasm_objdump_run(code, 6, high, keep, &seen), 0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.list[1].text, "ret");
	assert_true(seen.list[1].address == high + 4);
}

static void test_absent(void **state)
{
	assert_int_equal(setenv("PATH", scratch("none"), 1), 0);
	assert_non_null(strstr(disasm_objdump_why_not(), "binutils-riscv64-linux-gnu"));
	/* An unnamed directory is not searched: whoever owns the current one is not trusted. */
	assert_int_equal(setenv("PATH", "::", 1), 0);
	assert_non_null(disasm_objdump_why_not());
	assert_int_equal(unsetenv("PATH"), 0);
	assert_non_null(disasm_objdump_why_not());
}

static void place(const char *script)
{
	const char *file = scratch(OBJDUMP);
	char words[4096];

	scratch_write(file, script, strlen(script));
	assert_int_equal(chmod(file, 0755), 0);
	(void)snprintf(words, sizeof(words), "%s:%s", scratch_folder, path);
	assert_int_equal(setenv("PATH", words, 1), 0);
	assert_null(disasm_objdump_why_not());
}

/* One that is there and does not work is -EIO before anything is taken; what a listing lacks is
 * bytes. */
static void test_others(void **state)
{
	struct seen seen = {0};

	place("#!/bin/sh\nexit 1\n");
	assert_int_equal(disasm_objdump_run(code, sizeof(code), 0x1000, keep, &seen), -EIO);
	assert_int_equal(seen.count, 0);
	place("#!/bin/sh\necho no: line\nprintf '1002:\\todd\\n1004:\\tlast\\tx  # y\\n'\n");
	assert_int_equal(disasm_objdump_run(code, 6, 0x1000, keep, &seen), 0);
	assert_int_equal(seen.count, 2);
	assert_string_equal(seen.list[0].text, ".byte   0x63, 0x10, 0xb5, 0x00");
	assert_int_equal(seen.list[0].flow, FLOW_BRANCH);
	assert_string_equal(seen.list[1].text, "last    x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_real),
		cmocka_unit_test(test_high),
		cmocka_unit_test_teardown(test_absent, restore),
		cmocka_unit_test_teardown(test_others, restore),
	};

	return cmocka_run_group_tests(tests, find_path, done);
}
