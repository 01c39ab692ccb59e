// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

/* Steps by rules that are made up. */

/* A stack of eight words at address 0x1000. */
static int read_stack(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	const uint64_t *words = context;

	if (address < 0x1000 || address >= 0x1040 || address % 8 || size != 8)
		return 0;
	*ret_word = words[(address - 0x1000) / 8];
	return 1;
}

static const uint64_t stack[8] = {0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x1030, 0x88};

static struct unwind_rule rule_of(unsigned cfa_register, int offset)
{
	struct unwind_rule rule = {.cfa_register = (uint8_t)cfa_register, .cfa_offset = offset};

	rule.saved[UNWIND_RETURN] = (struct unwind_place){-8, UNWIND_AT_CFA};
	return rule;
}

static enum unwind_end step(struct unwind_frame *frame, const struct unwind_rule *rule)
{
	return unwind_step(frame, rule, 8, read_stack, (void *)stack);
}

static void a_step_finds_the_caller(void **state)
{
	struct unwind_frame frame = {
		.sp = 0x1008, .bp = 7, .bx = 9, .has_bx = true, .is_exact = true};
	struct unwind_rule rule = rule_of(UNWIND_SP, 16);

	rule.saved[UNWIND_SAVED_BP] = (struct unwind_place){-16, UNWIND_AT_CFA};
	assert_int_equal(step(&frame, &rule), UNWIND_GOES_ON);
	assert_true(frame.sp == 0x1018 && frame.ip == 0x33 && frame.bp == 0x22 && frame.has_bp);
	assert_true(frame.bx == 9 && frame.has_bx && !frame.is_exact);
	assert_int_equal(unwind_address(&frame), 0x32);
	rule = rule_of(UNWIND_SP, 0x1030 - 0x1018);
	rule.flags = UNWIND_DEREFERENCE | UNWIND_SIGNAL;
	rule.saved[UNWIND_RETURN] = (struct unwind_place){8, UNWIND_AT_SP};
	assert_int_equal(step(&frame, &rule), UNWIND_GOES_ON);
	assert_true(frame.sp == 0x1030 && frame.ip == 0x55 && frame.is_exact);
	assert_int_equal(unwind_address(&frame), 0x55);
}

static void a_stub_has_a_word_more_in_its_second_half(void **state)
{
	struct unwind_frame first = {.ip = 0x40, .sp = 0x1000, .is_exact = true};
	struct unwind_frame second = {.ip = 0x4b, .sp = 0x1000, .is_exact = true};
	struct unwind_rule rule = rule_of(UNWIND_SP, 8);

	rule.flags = UNWIND_STUB;
	rule.addend = 11;
	assert_int_equal(step(&first, &rule), UNWIND_GOES_ON);
	assert_int_equal(first.ip, 0x11);
	assert_int_equal(step(&second, &rule), UNWIND_GOES_ON);
	assert_int_equal(second.ip, 0x22);
}

static void a_step_says_why_it_cannot(void **state)
{
	const struct unwind_frame start = {.sp = 0x1008, .is_exact = true};
	struct unwind_frame frame = start;
	struct unwind_rule rule = rule_of(UNWIND_BP, 16);

	assert_int_equal(step(&frame, &rule), UNWIND_NO_REGISTER);
	rule = rule_of(UNWIND_OTHER + 12, 0);
	assert_int_equal(step(&frame, &rule), UNWIND_NO_REGISTER);
	rule = rule_of(UNWIND_SP, 0x1000);
	assert_int_equal(step(&frame, &rule), UNWIND_NOT_READABLE);
	rule = rule_of(UNWIND_SP, -8);
	assert_int_equal(step(&frame, &rule), UNWIND_NO_PROGRESS);
	/* A leaf's return address may be in a register; nobody else's may. */
	rule = rule_of(UNWIND_SP, 0);
	assert_int_equal(step(&frame, &rule), UNWIND_GOES_ON);
	assert_int_equal(step(&frame, &rule), UNWIND_NO_PROGRESS);
	frame = start;
	rule.saved[UNWIND_RETURN] = (struct unwind_place){UNWIND_OTHER + 5, UNWIND_IN_REGISTER};
	assert_int_equal(step(&frame, &rule), UNWIND_NO_REGISTER);
}

/* Behind "pop %rbp" compilers go on saying that it lies where it was. */
static void what_was_popped_is_in_its_register(void **state)
{
	struct unwind_frame frame = {.sp = 0x1000, .bp = 7, .has_bp = true, .is_exact = true};
	struct unwind_frame caller = {.ip = 1, .sp = 0x1000, .bp = 7, .has_bp = true};
	struct unwind_rule rule = rule_of(UNWIND_SP, 8);

	rule.saved[UNWIND_SAVED_BP] = (struct unwind_place){-16, UNWIND_AT_CFA};
	assert_int_equal(step(&frame, &rule), UNWIND_GOES_ON);
	assert_true(frame.ip == 0x11 && frame.bp == 7 && frame.has_bp);
	assert_int_equal(step(&caller, &rule), UNWIND_NOT_READABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_finds_the_caller),
		cmocka_unit_test(a_stub_has_a_word_more_in_its_second_half),
		cmocka_unit_test(a_step_says_why_it_cannot),
		cmocka_unit_test(what_was_popped_is_in_its_register),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
