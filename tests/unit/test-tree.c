// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree.h"

#include "analysis/inclusive.h"
#include "analysis/table.h"
#include "analysis/tree_arcs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "dice.h"
#include "graphs.h"
#include "stacks.h"
#include "trees.h"
#include "view/tree.h"

#include <stdlib.h>

static struct profile *sampled(void)
{
	struct profile *profile = functions(6);

	stacks_add(profile, "abd", STACK_WHOLE, 5);
	stacks_add(profile, "acd", STACK_WHOLE, 7);
	stacks_add(profile, "ab", STACK_WHOLE, 2);
	stacks_add(profile, "bd", STACK_NO_RULE, 3);
	return profile;
}

static void test_callers_first(void **state)
{
	struct profile *profile = sampled();

	(void)state;
	check_text(profile, &(struct tree_options){0},
		   "a 14/0[b 7/2[d 5/5] c 7/0[d 7/7]] [truncated] 3/0[b 3/0[d 3/3]]");
	check_sum(profile, "a", 0, 14);
	check_sum(profile, "b", 2, 10);
	check_sum(profile, "d", 15, 15);
	(void)profile_free(profile);
}

static void test_leaf_first(void **state)
{
	struct profile *profile = sampled();

	(void)state;
	check_text(profile, &(struct tree_options){.reverse = true},
		   "d 15/0[b 8/0[a 5/5 [truncated] 3/0] c 7/0[a 7/7]] b 2/0[a 2/2]");
	check_text(profile, &(struct tree_options){.reverse = true, .depth = 2},
		   "d 15/0[b 8/0 c 7/0] b 2/0[a 2/0]");
	check_text(profile, &(struct tree_options){.reverse = true, .min = 3},
		   "d 15/0[b 8/0[a 5/5 [truncated] 3/0] c 7/0[a 7/7]] b 2/0");
	(void)profile_free(profile);
}

static void test_wanted(void **state)
{
	struct profile *profile = sampled();
	bool b[7] = {[1] = true}, e[7] = {[4] = true};

	(void)state;
	check_text(profile, &(struct tree_options){.wanted = b}, "b 10/2[d 8/8]");
	check_text(profile, &(struct tree_options){.wanted = b, .reverse = true},
		   "b 10/0[a 7/7 [truncated] 3/0]");
	check_text(profile, &(struct tree_options){.wanted = e}, "");
	check_text(profile, &(struct tree_options){.wanted = e, .reverse = true}, "");
	(void)profile_free(profile);
}

/* Who is on a stack twice has its sample once; from the outermost down, from the innermost up. */
static void test_recursion(void **state)
{
	struct profile *profile = functions(3);
	bool b[4] = {[1] = true};

	(void)state;
	stacks_add(profile, "abab", STACK_WHOLE, 4);
	stacks_add(profile, "abbb", STACK_WHOLE, 2);
	check_sum(profile, "a", 0, 6);
	check_sum(profile, "b", 6, 6);
	check_text(profile, &(struct tree_options){.wanted = b},
		   "b 6/0[a 4/0[b 4/4] b 2/0[b 2/2]]");
	check_text(profile, &(struct tree_options){.wanted = b, .reverse = true},
		   "b 6/0[a 4/0[b 4/0[a 4/4]] b 2/0[b 2/0[a 2/2]]]");
	(void)profile_free(profile);
}

static void test_ends(void **state)
{
	struct profile *profile = sampled();
	uint64_t ends[STACK_ENDS];

	(void)state;
	assert_true(tree_has_stacks(profile));
	tree_ends(profile, ends);
	assert_int_equal(ends[STACK_WHOLE], 14);
	assert_int_equal(ends[STACK_NO_RULE], 3);
	assert_int_equal(ends[STACK_NONE], 0);
	(void)profile_free(profile);
	profile = functions(1);
	ticks(profile, 'a', 3);
	assert_false(tree_has_stacks(profile));
	(void)profile_free(profile);
}

/* A stack of so many calls, and a cell at each: nothing here may use the machine's own stack, or
 * begin at the root for each. */
static void test_deep(void **state)
{
	enum { DEPTH = 100000 };
	struct profile *profile = functions(3);
	struct tree_functions list;
	struct tree *tree;
	uint32_t index;

	(void)state;
	for (uint32_t i = 0; i < DEPTH; i++) {
		struct profile_context context = {.parent = i, .location = i % 2};
		struct profile_cell cell = {.location = 2,
					    .task = PROFILE_NO_TASK,
					    .ticks = 1,
					    .context = i + 1,
					    .stack_end = STACK_WHOLE};

		assert_int_equal(profile_add_context(profile, &context, &index), 0);
		assert_int_equal(profile_add_cell(profile, &cell), 0);
	}
	assert_int_equal(tree_functions_make(profile, &list), 0);
	assert_int_equal(tree_build(profile, &list, &(struct tree_options){0}, &tree), 0);
	assert_int_equal(tree->node_count, 2 * DEPTH);
	assert_int_equal(tree->nodes[0].total, DEPTH);
	assert_int_equal(tree->sums[0].total, DEPTH);
	assert_int_equal(tree->sums[1].total, DEPTH - 1);
	assert_int_equal(tree->sums[2].self, DEPTH);
	(void)tree_free(tree);
	tree_functions_done(&list);
	(void)profile_free(profile);
}

/* The calls of a function are its total, whatever recursion there is; what nobody calls has its
 * own samples and those of its calls. */
static void check_inclusive(const struct profile *profile)
{
	struct tree_functions list;
	struct inclusive inclusive;
	struct tree *tree;

	assert_int_equal(tree_functions_make(profile, &list), 0);
	assert_int_equal(tree_build(profile, &list, &(struct tree_options){0}, &tree), 0);
	assert_int_equal(inclusive_make(profile, &list, &inclusive), 0);
	for (uint32_t f = 0; f < tree_functions_cut(&list); f++) {
		uint64_t in = 0, out = tree->sums[f].self;

		for (size_t i = 0; i < inclusive.count; i++) {
			const struct inclusive_call *call = &inclusive.calls[i];

			if (list.of_location[call->callee] == f)
				in += call->total;
			if (call->caller < INCLUSIVE_CUT && list.of_location[call->caller] == f)
				out += call->total;
		}
		assert_int_equal(in ? in : out, tree->sums[f].total);
	}
	inclusive_done(&inclusive);
	(void)tree_free(tree);
	tree_functions_done(&list);
}

/* What a plain count of random stacks says. */
static void test_random(void **state)
{
	uint64_t dice = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct profile *profile = functions(5);
		uint64_t self[5] = {0}, total[5] = {0};

		for (int i = 0; i < 20; i++) {
			char text[9] = "";
			size_t length = 1 + dice_below(&dice, 8);
			uint64_t count = 1 + dice_below(&dice, 9);
			bool has[5] = {false};

			for (size_t j = 0; j < length; j++) {
				text[j] = (char)('a' + dice_below(&dice, 5));
				has[text[j] - 'a'] = true;
			}
			self[text[length - 1] - 'a'] += count;
			for (int f = 0; f < 5; f++)
				total[f] += has[f] ? count : 0;
			stacks_add(profile, text,
				   dice_below(&dice, 2) ? STACK_WHOLE : STACK_TOO_DEEP, count);
		}
		for (int f = 0; f < 5; f++)
			check_sum(profile, (const char[]){(char)('a' + f), '\0'}, self[f],
				  total[f]);
		check_inclusive(profile);
		(void)profile_free(profile);
	}
}

/* As it is printed, from the table on. */
static void check_printed(const struct profile *profile, struct tree_page page,
			  const struct report_style *style, const char *wanted)
{
	struct tree_functions list;
	struct tree *tree;
	char *text;
	const char *rows;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(tree_functions_make(profile, &list), 0);
	assert_int_equal(tree_build(profile, &list, &(struct tree_options){0}, &tree), 0);
	page.profile = profile;
	page.functions = &list;
	page.tree = tree;
	assert_int_equal(tree_print(out, &page, style), 0);
	assert_int_equal(fclose(out), 0);
	rows = strstr(text, style->form == REPORT_MARKDOWN ? "| share" : " share");
	assert_non_null(rows);
	assert_memory_equal(rows, wanted, strlen(wanted));
	free(text);
	(void)tree_free(tree);
	tree_functions_done(&list);
}

/* A chain of calls goes straight down; only branches are a step to the right; what has too few
 * samples is no row. */
static void test_printed(void **state)
{
	static const char wanted[] =
		" share  95 % interval  total   self  function       object\n"
		"95.6 %  91.2 - 97.9 %    153         + a            p\n"
		"91.9 %  86.6 - 95.2 %    147  4.4 %  | b            p\n"
		"87.5 %  81.5 - 91.8 %    140         | d            p\n"
		" 4.4 %   2.1 -  8.8 %      7         + [truncated]\n"
		" 4.4 %   2.1 -  8.8 %      7  4.4 %    d            p\n"
		"6 of 160 samples (3.8 %) are in smaller branches (--min)\n"
		"\n"
		"160 samples = 153 with the whole call stack + 7 cut: totals are lower bounds\n"
		"  7 cut: the stack could not be read\n";
	struct profile *profile = functions(6);

	(void)state;
	stacks_add(profile, "abde", STACK_WHOLE, 140);
	stacks_add(profile, "ab", STACK_WHOLE, 7);
	stacks_add(profile, "ac", STACK_WHOLE, 6);
	stacks_add(profile, "d", STACK_NOT_READABLE, 7);
	check_printed(profile, (struct tree_page){.min = 7, .depth = 3},
		      &(struct report_style){.form = REPORT_TEXT}, wanted);
	(void)profile_free(profile);
}

static struct profile *branched(void)
{
	struct profile *profile = functions(8);

	stacks_add(profile, "abde", STACK_WHOLE, 40);
	stacks_add(profile, "abdf", STACK_WHOLE, 3);
	stacks_add(profile, "abdg", STACK_WHOLE, 2);
	stacks_add(profile, "abh", STACK_WHOLE, 5);
	stacks_add(profile, "ace", STACK_WHOLE, 50);
	return profile;
}

/* Lines go down to where the next branch of the same function begins, and no further. */
static void test_branches(void **state)
{
	struct profile *profile = branched();
	struct tree_page page = {.min = 5};

	(void)state;
	check_printed(profile, page,
		      &(struct report_style){.form = REPORT_TEXT, .utf8 = true, .width = 80},
		      " share  total    self  function      object\n"
		      "100.0 %    100          a             p\n"
		      " 50.0 %     50          ├ b           p\n"
		      " 45.0 %     45          │ ├ d         p\n"
		      " 40.0 %     40  40.0 %  │ │ ├ e       p\n"
		      "  5.0 %      5          │ │ └ 2 more\n"
		      "  5.0 %      5   5.0 %  │ └ h         p\n"
		      " 50.0 %     50          └ c           p\n"
		      " 50.0 %     50  50.0 %    e           p\n");
	check_printed(profile, page, &(struct report_style){.form = REPORT_MARKDOWN},
		      "| share | 95 % interval | total | self | function | object |\n"
		      "| --: | --: | --: | --: | --- | --- |\n"
		      "| 100.0 % | 96.3 – 100.0 % | 100 |  | `a` | `p` |\n"
		      "| 50.0 % | 40.4 – 59.6 % | 50 |  | - `b` | `p` |\n"
		      "| 45.0 % | 35.6 – 54.8 % | 45 |  | &emsp;- `d` | `p` |\n"
		      "| 40.0 % | 30.9 – 49.8 % | 40 | 40.0 % | &emsp;&emsp;- `e` | `p` |\n"
		      "| 5.0 % | 2.2 – 11.2 % | 5 |  | &emsp;&emsp;- 2 more |  |\n"
		      "| 5.0 % | 2.2 – 11.2 % | 5 | 5.0 % | &emsp;- `h` | `p` |\n"
		      "| 50.0 % | 40.4 – 59.6 % | 50 |  | - `c` | `p` |\n"
		      "| 50.0 % | 40.4 – 59.6 % | 50 | 50.0 % | &emsp;`e` | `p` |\n");
	(void)profile_free(profile);
}

/* Rows have what their code was on the stack of, also those that have no samples of their own. */
static void test_table(void **state)
{
	static const struct {
		const char *name;
		uint64_t self, total;
	} by_self[] = {{"d", 15, 15}, {"b", 2, 10}, {"a", 0, 14}, {"c", 0, 7}},
	  by_total[] = {{"d", 15, 15}, {"a", 0, 14}, {"b", 2, 10}, {"c", 0, 7}};
	struct profile *profile = sampled();
	struct table *table;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct table_options options = {.by_total = i};

		assert_int_equal(table_build(profile, &options, &table, NULL), 0);
		assert_true(table->has_totals);
		assert_int_equal(table->row_count, 4);
		for (size_t j = 0; j < 4; j++) {
			assert_string_equal(table->rows[j].name,
					    i ? by_total[j].name : by_self[j].name);
			assert_int_equal(table->rows[j].ticks,
					 i ? by_total[j].self : by_self[j].self);
			assert_int_equal(table->rows[j].total,
					 i ? by_total[j].total : by_self[j].total);
		}
		(void)table_free(table);
	}
	assert_int_equal(
		table_build(profile, &(struct table_options){.by = TABLE_BY_OBJECT}, &table, NULL),
		0);
	assert_int_equal(table->row_count, 1);
	assert_int_equal(table->rows[0].total, 17);
	(void)table_free(table);
	assert_int_equal(
		table_build(profile, &(struct table_options){.function = "[ac]"}, &table, NULL), 0);
	assert_int_equal(table->row_count, 2);
	assert_int_equal(table->shown, 0);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_inclusive(void **state)
{
	struct profile *profile = sampled();
	struct tree_functions list;
	struct inclusive inclusive;

	(void)state;
	check_inclusive(profile);
	assert_int_equal(tree_functions_make(profile, &list), 0);
	assert_int_equal(inclusive_make(profile, &list, &inclusive), 0);
	assert_int_equal(inclusive.count, 5);
	assert_int_equal(inclusive.calls[0].total, 7); /* a calls b */
	assert_int_equal(inclusive.calls[1].total, 7); /* a calls c */
	assert_int_equal(inclusive.calls[2].total, 8); /* b calls d */
	assert_int_equal(inclusive.calls[3].total, 7); /* c calls d */
	assert_int_equal(inclusive.calls[4].caller, INCLUSIVE_CUT);
	assert_int_equal(inclusive.calls[4].total, 3); /* b, called by whom is not known */
	inclusive_done(&inclusive);
	tree_functions_done(&list);
	(void)profile_free(profile);
}

static uint64_t arc_total(const struct tree_arcs *arcs, uint32_t caller, uint32_t callee)
{
	for (size_t i = 0; i < arcs->count; i++)
		if (arcs->list[i].caller == caller && arcs->list[i].callee == callee)
			return arcs->list[i].total;
	return 0;
}

/* A call that is on a stack twice has the sample once; what was counted stands beside. */
static void test_arcs(void **state)
{
	struct profile *profile = functions(3);
	struct tree_functions list;
	struct tree_arcs arcs;
	struct tree *tree;

	(void)state;
	stacks_add(profile, "abab", STACK_WHOLE, 4);
	stacks_add(profile, "abb", STACK_WHOLE, 2);
	stacks_add(profile, "b", STACK_BUSY, 1);
	calls(profile, 'a', 'b', 30);
	calls(profile, 'c', 'a', 1);
	assert_int_equal(tree_functions_make(profile, &list), 0);
	assert_int_equal(tree_build(profile, &list, &(struct tree_options){0}, &tree), 0);
	assert_int_equal(tree_arcs_make(profile, &list, tree, &arcs), 0);
	assert_int_equal(arcs.count, 5);
	assert_int_equal(arc_total(&arcs, 0, 1), 6);
	assert_int_equal(arcs.list[0].calls, 30);
	assert_int_equal(arc_total(&arcs, 1, 0), 4);
	assert_int_equal(arc_total(&arcs, 1, 1), 2);
	assert_int_equal(arc_total(&arcs, 3, 1), 1); /* [truncated] */
	assert_int_equal(arcs.list[3].calls, 1);
	assert_int_equal(arcs.list[arcs.incoming[0]].caller, 1);
	assert_int_equal(arcs.list[arcs.incoming[2]].caller, 0);
	tree_arcs_done(&arcs);
	(void)tree_free(tree);
	tree_functions_done(&list);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_first), cmocka_unit_test(test_leaf_first),
		cmocka_unit_test(test_wanted),	      cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_ends),	      cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random),	      cmocka_unit_test(test_printed),
		cmocka_unit_test(test_branches),      cmocka_unit_test(test_table),
		cmocka_unit_test(test_inclusive),     cmocka_unit_test(test_arcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
