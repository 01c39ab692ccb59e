// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm.h"

#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Bytes as the makers' manuals have them; where nobody here knows the machine, that is what must be
 * said. */

struct expected {
	uint8_t size;
	enum disasm_flow flow;
	bool slow;
	uint64_t target; /* 0: none */
	const char *name;
};

struct walk {
	const struct expected *expected;
	size_t count, seen;
	uint64_t address;
};

static int check(void *context, const struct instruction *instruction)
{
	struct walk *walk = context;
	const struct expected *expected = &walk->expected[walk->seen];

	assert_true(walk->seen < walk->count);
	assert_int_equal(instruction->address, walk->address);
	assert_int_equal(instruction->size, expected->size);
	assert_int_equal(instruction->flow, expected->flow);
	assert_int_equal(instruction->slow, expected->slow);
	assert_int_equal(instruction->has_target, expected->target != 0);
	assert_int_equal(instruction->target, expected->target);
	assert_memory_equal(instruction->text, expected->name, strlen(expected->name));
	walk->address += instruction->size;
	walk->seen++;
	return 0;
}

static void expect(int machine, const uint8_t *bytes, size_t size, const struct expected *expected,
		   size_t count)
{
	struct walk walk = {expected, count, 0, 0x1000};
	const char *why = disasm_why_not(machine);
	int r = disasm_run(machine, bytes, size, 0x1000, check, &walk);

	if (why) {
		assert_true(strstr(why, "Capstone") != NULL);
		assert_int_equal(r, -ENOTSUP);
		return;
	}
	assert_int_equal(r, 0);
	assert_int_equal(walk.seen, count);
	assert_int_equal(walk.address, 0x1000 + size);
}

#define EXPECT(machine, bytes, expected) \
	expect(machine, bytes, sizeof(bytes), expected, sizeof(expected) / sizeof((expected)[0]))

static void test_x86_64(void **state)
{
	static const uint8_t bytes[] = {
		0x48, 0x01, 0xc8,	      /* add rax, rcx */
		0x48, 0x8b, 0x07,	      /* mov rax, [rdi] */
		0x48, 0x89, 0x07,	      /* mov [rdi], rax */
		0x48, 0x8d, 0x07,	      /* lea rax, [rdi] */
		0x48, 0xf7, 0xf9,	      /* idiv rcx */
		0xf0, 0x48, 0x0f, 0xb1, 0x0f, /* lock cmpxchg [rdi], rcx */
		0xf3, 0xa4,		      /* rep movsb */
		0x74, 0xfe,		      /* je to itself */
		0xe2, 0xfe,		      /* loop to itself */
		0xeb, 0x00,		      /* jmp to the next */
		0xff, 0xe0,		      /* jmp rax */
		0xff, 0x28,		      /* jmp far [rax] */
		0xe8, 0xfb, 0xff, 0xff, 0xff, /* call to itself */
		0xc3,			      /* ret */
		0x0f, 0x0b,		      /* ud2 */
		0x06,			      /* no instruction in 64 bits */
	};
	static const struct expected expected[] = {
		{3, FLOW_NEXT, false, 0, "add"},	 {3, FLOW_NEXT, true, 0, "mov"},
		{3, FLOW_NEXT, false, 0, "mov"},	 {3, FLOW_NEXT, false, 0, "lea"},
		{3, FLOW_NEXT, true, 0, "idiv"},	 {5, FLOW_NEXT, true, 0, "lock cmpxchg"},
		{2, FLOW_NEXT, true, 0, "rep movsb"},	 {2, FLOW_BRANCH, false, 0x1016, "je"},
		{2, FLOW_BRANCH, false, 0x1018, "loop"}, {2, FLOW_JUMP, false, 0x101c, "jmp"},
		{2, FLOW_JUMP, false, 0, "jmp"},	 {2, FLOW_JUMP, true, 0, ""},
		{5, FLOW_CALL, false, 0x1020, "call"},	 {1, FLOW_END, false, 0, "ret"},
		{2, FLOW_END, false, 0, "ud2"},		 {1, FLOW_NEXT, false, 0, ".byte"},
	};

	EXPECT(EM_X86_64, bytes, expected);
}

/* What Capstone does not know must not shift what stands behind it. */
static void test_unknown(void **state)
{
	static const uint8_t x86[] = {
		0xf3, 0x0f, 0x01, 0xec, /* uiret, which neither 4 nor 5 knows */
		0xc3,			/* ret */
	};
	static const struct expected of_x86[] = {
		{4, FLOW_NEXT, false, 0, ".byte   0xf3, 0x0f, 0x01, 0xec"},
		{1, FLOW_END, false, 0, "ret"},
	};
	static const uint8_t riscv[] = {
		0x1f, 0x00, 0x82, 0x80, 0x82, 0x80, /* reserved, of six bytes */
		0x82, 0x80,			    /* c.jr ra */
		0x13,				    /* cut short */
	};
	static const struct expected of_riscv[] = {
		{6, FLOW_NEXT, false, 0, ""},
		{2, FLOW_END, false, 0, ""},
		{1, FLOW_NEXT, false, 0, ".byte   0x13"},
	};

	EXPECT(EM_X86_64, x86, of_x86);
	EXPECT(EM_RISCV, riscv, of_riscv);
}

static void test_aarch64(void **state)
{
	static const uint8_t bytes[] = {
		0x00, 0x00, 0x01, 0x8b, /* add x0, x0, x1 */
		0x20, 0x00, 0x40, 0xf9, /* ldr x0, [x1] */
		0x20, 0x00, 0x00, 0xf9, /* str x0, [x1] */
		0x00, 0x0c, 0xc1, 0x9a, /* sdiv x0, x0, x1 */
		0x00, 0x00, 0x00, 0x14, /* b . */
		0x01, 0x00, 0x00, 0x54, /* b.ne . */
		0x00, 0x00, 0x00, 0xb4, /* cbz x0, . */
		0x00, 0x00, 0x00, 0x37, /* tbnz w0, 0, . */
		0x00, 0x00, 0x00, 0x94, /* bl . */
		0x00, 0x00, 0x3f, 0xd6, /* blr x0 */
		0x00, 0x00, 0x1f, 0xd6, /* br x0 */
		0xc0, 0x03, 0x5f, 0xd6, /* ret */
		0x00, 0x00,		/* cut short */
	};
	static const struct expected expected[] = {
		{4, FLOW_NEXT, false, 0, "add"},	{4, FLOW_NEXT, true, 0, "ldr"},
		{4, FLOW_NEXT, false, 0, "str"},	{4, FLOW_NEXT, true, 0, "sdiv"},
		{4, FLOW_JUMP, false, 0x1010, "b "},	{4, FLOW_BRANCH, false, 0x1014, "b.ne"},
		{4, FLOW_BRANCH, false, 0x1018, "cbz"}, {4, FLOW_BRANCH, false, 0x101c, "tbnz"},
		{4, FLOW_CALL, false, 0x1020, "bl"},	{4, FLOW_CALL, false, 0, "blr"},
		{4, FLOW_JUMP, false, 0, "br"},		{4, FLOW_END, false, 0, "ret"},
		{1, FLOW_NEXT, false, 0, ".byte"},	{1, FLOW_NEXT, false, 0, ".byte"},
	};

	EXPECT(EM_AARCH64, bytes, expected);
}

static int check_newer(void *context, const struct instruction *instruction)
{
	static const enum disasm_flow flows[] = {FLOW_END, FLOW_JUMP, FLOW_CALL, FLOW_BRANCH,
						 FLOW_END};
	size_t *seen = context;

	assert_true(*seen < sizeof(flows) / sizeof(flows[0]));
	assert_int_equal(instruction->size, 4);
	if (strncmp(instruction->text, ".byte", 5) != 0)
		assert_int_equal(instruction->flow, flows[*seen]);
	++*seen;
	return 0;
}

/* What Capstone 4 does not know, 5 does in part. */
static void test_aarch64_newer(void **state)
{
	static const uint8_t bytes[] = {
		0xff, 0x0b, 0x5f, 0xd6, /* retaa */
		0x1f, 0x08, 0x1f, 0xd6, /* braaz x0 */
		0x1f, 0x08, 0x3f, 0xd6, /* blraaz x0 */
		0x11, 0x00, 0x00, 0x54, /* bc.ne . */
		0x00, 0x00, 0x00, 0x00, /* udf 0 */
	};
	size_t seen = 0;
	int r = disasm_run(EM_AARCH64, bytes, sizeof(bytes), 0x1000, check_newer, &seen);

	assert_int_equal(r, disasm_why_not(EM_AARCH64) ? -ENOTSUP : 0);
	assert_int_equal(seen, r ? 0 : 5);
}

static void test_riscv64(void **state)
{
	static const uint8_t bytes[] = {
		0x33, 0x05, 0xb5, 0x00, /* add a0, a0, a1 */
		0x03, 0xb5, 0x05, 0x00, /* ld a0, 0(a1) */
		0x33, 0x45, 0xb5, 0x02, /* div a0, a0, a1 */
		0x63, 0x10, 0xb5, 0x00, /* bne a0, a1, . */
		0x01, 0xa0,		/* c.j . */
		0xef, 0x00, 0x00, 0x00, /* jal ra, . */
		0x82, 0x80,		/* c.jr ra: ret */
		0x02, 0x85,		/* c.jr a0 */
	};
	static const struct expected expected[] = {
		{4, FLOW_NEXT, false, 0, "add"},   {4, FLOW_NEXT, true, 0, "ld"},
		{4, FLOW_NEXT, true, 0, "div"},	   {4, FLOW_BRANCH, false, 0x100c, "bne"},
		{2, FLOW_JUMP, false, 0x1010, ""}, {4, FLOW_CALL, false, 0x1012, "jal"},
		{2, FLOW_END, false, 0, ""},	   {2, FLOW_JUMP, false, 0, ""},
	};

	EXPECT(EM_RISCV, bytes, expected);
}

static int stop(void *context, const struct instruction *instruction)
{
	return -EINTR;
}

static void test_others(void **state)
{
	static const uint8_t bytes[] = {0x90, 0x90};

	assert_non_null(disasm_why_not(EM_PPC64));
	assert_non_null(disasm_why_not(EM_NONE));
	assert_int_equal(disasm_run(EM_PPC64, bytes, 2, 0, stop, NULL), -ENOTSUP);
	if (!disasm_why_not(EM_X86_64))
		assert_int_equal(disasm_run(EM_X86_64, bytes, 2, 0, stop, NULL), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_64),	cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_aarch64), cmocka_unit_test(test_aarch64_newer),
		cmocka_unit_test(test_riscv64), cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
