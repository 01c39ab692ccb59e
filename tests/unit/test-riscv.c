// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/riscv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* Each by the bits that the ISA manual gives it; tests/cli/test_instructions.py has a whole C
 * library's against objdump. */

#define AT UINT64_C(0x10000)

struct row {
	uint32_t bits;
	enum disasm_flow flow;
	uint64_t target; /* 0: none */
	bool slow;
};

static void expect(const struct row *rows, size_t count, uint8_t size)
{
	for (size_t i = 0; i < count; i++) {
		const uint32_t bits = rows[i].bits;
		const uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16),
					 (uint8_t)(bits >> 24)};
		struct instruction instruction = {.address = AT, .size = size};

		assert_int_equal(riscv_length(bytes, sizeof(bytes)), size);
		riscv_classify(bytes, &instruction);
		assert_int_equal(instruction.flow, rows[i].flow);
		assert_int_equal(instruction.target, rows[i].target);
		assert_int_equal(instruction.has_target, rows[i].target != 0);
		assert_int_equal(instruction.slow, rows[i].slow);
	}
}

#define EXPECT(rows, size) expect(rows, sizeof(rows) / sizeof((rows)[0]), size)

static void test_jumps(void **state)
{
	static const struct row rows[] = {
		{0x0000006f, FLOW_JUMP, AT, false},	       /* j . */
		{0xffdff06f, FLOW_JUMP, AT - 4, false},	       /* j .-4 */
		{0x7ffff0ef, FLOW_CALL, AT + 0xffffe, false},  /* jal ra, the farthest below */
		{0x800000ef, FLOW_CALL, AT - 0x100000, false}, /* and above */
		{0x0000016f, FLOW_CALL, AT, false},	       /* jal sp: odd, but it links */
		{0x00008067, FLOW_END, 0, false},	       /* ret */
		{0x00028067, FLOW_END, 0, false},	       /* jr t0 */
		{0x00408067, FLOW_JUMP, 0, false},	       /* jr 4(ra): beside it */
		{0x00030067, FLOW_JUMP, 0, false},	       /* jr t1: a tail call */
		{0x000300e7, FLOW_CALL, 0, false},	       /* jalr t1 */
		{0x000302e7, FLOW_CALL, 0, false},	       /* jalr t0, t1 */
		{0x00b50063, FLOW_BRANCH, AT, false},	       /* beq a0, a1, . */
		{0x7eb51fe3, FLOW_BRANCH, AT + 0xffe, false},  /* bne, the farthest below */
		{0x80b54063, FLOW_BRANCH, AT - 0x1000, false}, /* blt, and above */
		{0x00b57463, FLOW_BRANCH, AT + 8, false},      /* bgeu a0, a1, .+8 */
		{0x00100073, FLOW_END, 0, false},	       /* ebreak */
		{0x30200073, FLOW_END, 0, false},	       /* mret */
		{0xc0001073, FLOW_END, 0, false},	       /* unimp */
		{0x00000073, FLOW_NEXT, 0, true},	       /* ecall */
	};

	EXPECT(rows, 4);
}

static void test_compressed(void **state)
{
	static const struct row rows[] = {
		{0xa001, FLOW_JUMP, AT, false},		  /* c.j . */
		{0xaffd, FLOW_JUMP, AT + 0x7fe, false},	  /* c.j, the farthest below */
		{0xb001, FLOW_JUMP, AT - 0x800, false},	  /* and above */
		{0xc101, FLOW_BRANCH, AT, false},	  /* c.beqz a0, . */
		{0xed7d, FLOW_BRANCH, AT + 0xfe, false},  /* c.bnez a0, the farthest below */
		{0xd101, FLOW_BRANCH, AT - 0x100, false}, /* c.beqz a0, and above */
		{0x8082, FLOW_END, 0, false},		  /* ret */
		{0x8282, FLOW_END, 0, false},		  /* c.jr t0 */
		{0x8782, FLOW_JUMP, 0, false},		  /* c.jr a5 */
		{0x9782, FLOW_CALL, 0, false},		  /* c.jalr a5 */
		{0x9002, FLOW_END, 0, false},		  /* c.ebreak */
		{0x0000, FLOW_END, 0, false},		  /* no instruction, for good */
		{0x853e, FLOW_NEXT, 0, false},		  /* c.mv a0, a5 */
		{0x953e, FLOW_NEXT, 0, false},		  /* c.add a0, a5 */
		{0x2501, FLOW_NEXT, 0, false},		  /* c.addiw: c.jal with 32 bits */
	};

	EXPECT(rows, 2);
}

static void test_slow(void **state)
{
	static const struct row words[] = {
		{0x0005b503, FLOW_NEXT, 0, true},  /* ld a0, 0(a1) */
		{0x00a5b023, FLOW_NEXT, 0, false}, /* sd a0, 0(a1) */
		{0x0005b507, FLOW_NEXT, 0, true},  /* fld fa0, 0(a1) */
		{0x02b54533, FLOW_NEXT, 0, true},  /* div a0, a0, a1 */
		{0x02b5753b, FLOW_NEXT, 0, true},  /* remuw a0, a0, a1 */
		{0x02b50533, FLOW_NEXT, 0, false}, /* mul a0, a0, a1 */
		{0x1ab57553, FLOW_NEXT, 0, true},  /* fdiv.d fa0, fa0, fa1 */
		{0x5a057553, FLOW_NEXT, 0, true},  /* fsqrt.d fa0, fa0 */
		{0x02b57553, FLOW_NEXT, 0, false}, /* fadd.d fa0, fa0, fa1 */
		{0x1005a52f, FLOW_NEXT, 0, true},  /* lr.w a0, (a1) */
		{0x0ff0000f, FLOW_NEXT, 0, true},  /* fence */
		{0xc0102573, FLOW_NEXT, 0, true},  /* rdtime a0 */
	};
	static const struct row halves[] = {
		{0x6188, FLOW_NEXT, 0, true},  /* c.ld a0, 0(a1) */
		{0xe188, FLOW_NEXT, 0, false}, /* c.sd a0, 0(a1) */
		{0x4188, FLOW_NEXT, 0, true},  /* c.lw a0, 0(a1) */
		{0x2188, FLOW_NEXT, 0, true},  /* c.fld fa0, 0(a1) */
		{0x6502, FLOW_NEXT, 0, true},  /* c.ldsp a0, 0(sp) */
		{0xe02a, FLOW_NEXT, 0, false}, /* c.sdsp a0, 0(sp) */
		{0x8188, FLOW_NEXT, 0, true},  /* c.lbu a0, 0(a1) */
		{0x8988, FLOW_NEXT, 0, false}, /* c.sb a0, 0(a1) */
		{0x0001, FLOW_NEXT, 0, false}, /* c.nop */
	};

	EXPECT(words, 4);
	EXPECT(halves, 2);
}

static void test_lengths(void **state)
{
	static const uint8_t six[6] = {0x1f}, eight[8] = {0x3f}, ten[10] = {0x7f},
			     longest[22] = {0x7f, 0x60}, reserved[22] = {0x7f, 0x70};

	assert_int_equal(riscv_length(six, sizeof(six)), 6);
	assert_int_equal(riscv_length(eight, sizeof(eight)), 8);
	assert_int_equal(riscv_length(ten, sizeof(ten)), 10);
	assert_int_equal(riscv_length(longest, sizeof(longest)), 22);
	assert_int_equal(riscv_length(reserved, sizeof(reserved)), 2);
	/* Cut short. */
	assert_int_equal(riscv_length(six, 5), 5);
	assert_int_equal(riscv_length(six, 1), 1);
	assert_int_equal(riscv_length(ten, 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_compressed),
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
