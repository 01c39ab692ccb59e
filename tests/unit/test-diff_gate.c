// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "diffs.h"

struct counts {
	uint64_t before, all_before, after, all_after;
};

/* A pair of runs in which one row has these ticks. */
static enum gate gate_of(struct counts counts, enum profile_class class, double limit)
{
	struct diff_row row = {.name = "f", .class = class};
	struct diff diff = {.rows = &row, .row_count = 1};
	struct gate_verdict verdict;

	diff.totals[DIFF_BEFORE] =
		(struct diff_total){.runs = 1, .ticks = counts.all_before, .value = 1};
	diff.totals[DIFF_AFTER] =
		(struct diff_total){.runs = 1, .ticks = counts.all_after, .value = 1};
	row.parts[DIFF_BEFORE].ticks = counts.before;
	row.parts[DIFF_AFTER].ticks = counts.after;
	row.change = (double)counts.after / (double)counts.all_after -
		     (double)counts.before / (double)counts.all_before;
	diff_gate(&diff, limit, &verdict);
	assert_true(verdict.gate == GATE_PASSES || verdict.row == &row || !verdict.row);
	return verdict.gate;
}

static double likelihood(uint64_t ticks, uint64_t all, double share)
{
	double x = (double)ticks, n = (double)all;

	return exp(lgamma(n + 1) - lgamma(x + 1) - lgamma(n - x + 1) + x * log(share) +
		   (n - x) * log1p(-share));
}

static bool is_called(uint64_t x, uint64_t before, uint64_t y, uint64_t after)
{
	return gate_of((struct counts){x, before, y, after}, CLASS_PROGRAM, 0) == GATE_EXCEEDS;
}

/* The least Y above the share of X that is called a change; AFTER + 1: none. */
static uint64_t least_above(uint64_t x, uint64_t before, uint64_t after)
{
	uint64_t low = x * after / before, high = after + 1;

	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (is_called(x, before, middle, after))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* The probability that a pair of runs of one program, in which a function has SHARE, is said to
 * have grown, by all outcomes there are. */
static double false_alarm(uint64_t before, uint64_t after, double share)
{
	double sum = 0;

	for (uint64_t x = 0; x <= before; x++) {
		double one = likelihood(x, before, share);

		if (one < 1e-14)
			continue;
		for (uint64_t y = least_above(x, before, after); y <= after; y++)
			sum += one * likelihood(y, after, share);
	}
	return sum;
}

static void a_program_that_did_not_change_is_not_called_changed(void **state)
{
	const double shares[] = {0.01, 0.05, 0.2, 0.5, 0.8, 0.98};

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		/* Half of the bound, for it may shrink as well. */
		assert_true(false_alarm(30, 30, shares[i]) < 5e-7);
		assert_true(false_alarm(80, 80, shares[i]) < 5e-7);
		assert_true(false_alarm(46, 200, shares[i]) < 5e-7);
		assert_true(false_alarm(200, 46, shares[i]) < 5e-7);
		assert_true(false_alarm(300, 300, shares[i]) < 5e-7);
	}
}

static void what_no_chance_makes_is_a_change(void **state)
{
	/* 47.8 % to nothing, in so few ticks as a comparison takes. */
	assert_int_equal(gate_of((struct counts){22, 46, 0, 80}, CLASS_PROGRAM, 0.05),
			 GATE_EXCEEDS);
	assert_int_equal(gate_of((struct counts){478, 1000, 0, 1000}, CLASS_LIBRARIES, 0.05),
			 GATE_EXCEEDS);
	assert_int_equal(gate_of((struct counts){0, 1000, 478, 1000}, CLASS_PROGRAM, 0.05),
			 GATE_EXCEEDS);
	assert_int_equal(gate_of((struct counts){100, 2000, 600, 2000}, CLASS_PROGRAM, 0.05),
			 GATE_EXCEEDS);
	/* The kernel's work depends on the machine; but not as much as that. */
	assert_int_equal(gate_of((struct counts){20, 2000, 200, 2000}, CLASS_KERNEL, 0.05),
			 GATE_OPEN);
	assert_int_equal(gate_of((struct counts){1, 2000, 1000, 2000}, CLASS_KERNEL, 0.05),
			 GATE_EXCEEDS);
}

static void what_chance_may_make_stays_open(void **state)
{
	assert_int_equal(gate_of((struct counts){100, 1000, 180, 1000}, CLASS_PROGRAM, 0.05),
			 GATE_OPEN);
	/* Nothing changed, but a twentieth of all could have. */
	assert_int_equal(gate_of((struct counts){500, 1000, 500, 1000}, CLASS_PROGRAM, 0.05),
			 GATE_OPEN);
	assert_int_equal(gate_of((struct counts){0, 30, 0, 30}, CLASS_PROGRAM, 0.05), GATE_OPEN);
	/* Here it could not. */
	assert_int_equal(gate_of((struct counts){10, 1000, 10, 1000}, CLASS_PROGRAM, 0.05),
			 GATE_PASSES);
	assert_int_equal(gate_of((struct counts){500, 1000, 500, 1000}, CLASS_PROGRAM, 2),
			 GATE_PASSES);
	/* It changed, but by no more than is allowed. */
	assert_int_equal(gate_of((struct counts){0, 10000, 300, 10000}, CLASS_PROGRAM, 0.2),
			 GATE_PASSES);
}

/* Twenty functions become twenty others: none of them by more than the limit. */
static void all_that_moved_counts_together(void **state)
{
	struct profile *before = diffs_profile("/bin/a", "1", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/b", "2", CLASS_PROGRAM);
	struct gate_verdict verdict;
	struct diff *diff;
	char name[8];

	for (uint64_t i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "f%d", (int)i);
		diffs_add(i < 20 ? before : after, 0x1000 + 16 * i, name, NULL, 1000);
	}
	diff = diffs_compare(before, after);
	diff_gate(diff, 0.06, &verdict);
	assert_int_equal(verdict.gate, GATE_EXCEEDS);
	assert_null(verdict.row);
	diffs_near(verdict.change, 1);
	(void)diff_free(diff);
}

/* ---- repeats ---- */

static struct diff *compare_repeats(const uint64_t *ticks, size_t count, enum diff_per per)
{
	struct profile *profiles[16];
	const struct diff_profiles sides[DIFF_SIDES] = {{profiles, count},
							{profiles + count, count}};
	const struct diff_options options = {.by = TABLE_BY_FUNCTION, .per = per};
	struct diff *diff = NULL;

	for (size_t i = 0; i < 2 * count; i++) {
		profiles[i] = diffs_profile("/bin/a", "1", CLASS_PROGRAM);
		diffs_add(profiles[i], 0x1000, "f", NULL, ticks[i]);
		diffs_add(profiles[i], 0x1040, "g", NULL, 1000 - ticks[i]);
		profiles[i]->facts.samples = 1000;
	}
	assert_int_equal(diff_build(sides, &options, &diff, NULL), 0);
	for (size_t i = 0; i < 2 * count; i++)
		(void)profile_free(profiles[i]);
	return diff;
}

static struct gate_verdict judge_repeats(const uint64_t *ticks, size_t count, double limit)
{
	struct diff *diff = compare_repeats(ticks, count, DIFF_PER_TICKS);
	struct gate_verdict verdict;

	diff_gate(diff, limit, &verdict);
	if (verdict.row)
		assert_non_null(strchr("fg", *verdict.row->name));
	verdict.row = NULL;
	(void)diff_free(diff);
	return verdict;
}

static void repeats_say_themselves_by_how_much_they_differ(void **state)
{
	const uint64_t calm[] = {198, 200, 202, 298, 300, 302};
	const uint64_t same[] = {198, 200, 202, 199, 200, 201};
	const uint64_t wild[] = {100, 300, 200, 400, 100, 150};
	struct gate_verdict verdict = judge_repeats(calm, 3, 0.09);

	assert_int_equal(verdict.gate, GATE_EXCEEDS);
	diffs_near(verdict.change, 0.1);
	/* It grew by a tenth, by all that is known: more than 11 % it may have been. */
	assert_int_equal(judge_repeats(calm, 3, 0.11).gate, GATE_OPEN);
	assert_int_equal(judge_repeats(calm, 3, 0.2).gate, GATE_PASSES);
	assert_int_equal(judge_repeats(same, 3, 0.05).gate, GATE_PASSES);
	verdict = judge_repeats(wild, 3, 0.05);
	assert_int_equal(verdict.gate, GATE_OPEN);
	assert_true(verdict.repeats > 10 && verdict.repeats <= GATE_REPEATS_MAX);
	/* No repeats tell nothing from nothing. */
	assert_int_equal(judge_repeats(same, 3, 0).gate, GATE_OPEN);
}

static void repeats_that_are_due_are_enough(void **state)
{
	/* As many as were asked for, of runs that differ as much: what was open is told. */
	const uint64_t few[] = {180, 200, 220, 180, 200, 220};
	struct gate_verdict verdict = judge_repeats(few, 3, 0.03);
	uint64_t many[16];

	assert_int_equal(verdict.gate, GATE_OPEN);
	assert_in_range(verdict.repeats, 4, 8);
	for (size_t i = 0; i < 2 * verdict.repeats; i++)
		many[i] = few[i % verdict.repeats % 3];
	assert_int_equal(judge_repeats(many, verdict.repeats, 0.03).gate, GATE_PASSES);
}

static void cpu_time_as_a_whole_is_judged(void **state)
{
	const uint64_t ticks[] = {300, 300};
	struct diff *diff = compare_repeats(ticks, 1, DIFF_PER_RUN);
	struct gate_verdict verdict;

	diff_gate(diff, 0.05, &verdict);
	assert_int_equal(verdict.gate, GATE_OPEN);
	/* Eight times the time is more than another machine's load makes. */
	diff->totals[DIFF_AFTER].value *= 8;
	diff->total_change = 7 * diff->totals[DIFF_BEFORE].value;
	diff_gate(diff, 0.05, &verdict);
	assert_int_equal(verdict.gate, GATE_EXCEEDS);
	(void)diff_free(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_that_did_not_change_is_not_called_changed),
		cmocka_unit_test(what_no_chance_makes_is_a_change),
		cmocka_unit_test(what_chance_may_make_stays_open),
		cmocka_unit_test(all_that_moved_counts_together),
		cmocka_unit_test(repeats_say_themselves_by_how_much_they_differ),
		cmocka_unit_test(repeats_that_are_due_are_enough),
		cmocka_unit_test(cpu_time_as_a_whole_is_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
