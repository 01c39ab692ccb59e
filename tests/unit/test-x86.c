// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/x86.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

/* As GNU as encodes them; tests/cli/test_instructions.py has a whole C library's against objdump.
 */

struct row {
	uint8_t length;
	const char *bytes; /* behind them are others */
};

#define BEHIND "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"

static void test_lengths(void **state)
{
	static const struct row rows[] = {
		{4, "\xc5\xfb\x93\xc0" BEHIND},			/* kmovd eax, k0 */
		{5, "\xc4\xe1\xfb\x92\xcb" BEHIND},		/* kmovq k1, rbx */
		{6, "\xc4\xe3\x7d\x39\xc1\x01" BEHIND},		/* vextracti128 xmm1, ymm0, 1 */
		{5, "\xc5\xf9\x73\xd8\x08" BEHIND},		/* vpsrldq xmm0, xmm0, 8 */
		{6, "\x62\xf2\x6d\x48\x50\xd9" BEHIND},		/* vpdpbusd zmm3, zmm2, zmm1 */
		{7, "\x62\xf3\x7d\x20\x3f\x07\x04" BEHIND},	/* vpcmpneqb k0, ymm16, [rdi] */
		{8, "\x62\xf3\x7d\x20\x3f\x47\x01\x00" BEHIND}, /* vpcmpeqb k0, ymm16, [rdi+32] */
		/* vpternlogd xmm3, xmm2, [rip+0x12345678], 1 */
		{11, "\x62\xf3\x6d\x08\x25\x1d\x78\x56\x34\x12\x01" BEHIND},
		/* vmovdqu64 zmm0, [r12+rax*8+0x12345678], [rbp], [rax*8+0x12345678] */
		{11, "\x62\xd1\xfe\x48\x6f\x84\xc4\x78\x56\x34\x12" BEHIND},
		{7, "\x62\xf1\xfe\x48\x6f\x45\x00" BEHIND},
		{11, "\x62\xf1\xfe\x48\x6f\x04\xc5\x78\x56\x34\x12" BEHIND},
		{3, "\x0f\x01\xe8" BEHIND},		/* serialize */
		{4, "\xf3\x0f\x01\xec" BEHIND},		/* uiret */
		{5, "\xf3\x48\x0f\xae\xe8" BEHIND},	/* incsspq rax */
		{6, "\x66\x0f\x38\xf8\x45\x00" BEHIND}, /* movdir64b rax, [rbp] */
		{5, "\x0f\x3a\xcc\xc1\x02" BEHIND},	/* sha1rnds4 xmm0, xmm1, 2 */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(x86_length((const uint8_t *)rows[i].bytes, 16), rows[i].length);
}

static void test_cut(void **state)
{
	static const uint8_t bytes[] = "\x62\xf3\x6d\x08\x25\x1d\x78\x56\x34\x12\x01";

	assert_int_equal(x86_length(bytes, 11), 11);
	for (size_t size = 1; size < 11; size++)
		assert_int_equal(x86_length(bytes, size), 1);
}

/* What is not of those maps is one byte, however it goes on. */
static void test_others(void **state)
{
	static const char *const others[] = {"\x06" BEHIND, "\xd5\x00" BEHIND, "\x48\x06" BEHIND,
					     "\xff\xff" BEHIND,
					     "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66"
					     "\x66\x66\x66\x66"};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(x86_length((const uint8_t *)others[i], 16), 1);
}

/* Whatever stands there, nothing behind the end is read, nor taken. */
static void test_any(void **state)
{
	uint32_t seed = 1;

	for (int i = 0; i < 100000; i++) {
		size_t size = 1 + (size_t)i % 16;
		uint8_t *bytes = malloc(size), length;

		assert_non_null(bytes);
		for (size_t at = 0; at < size; at++)
			bytes[at] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
		bytes[0] = i % 4 ? "\x62\xc4\xc5\x0f"[i / 4 % 4] : bytes[0];
		length = x86_length(bytes, size);
		assert_in_range(length, 1, size < 15 ? size : 15);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
