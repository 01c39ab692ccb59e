// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/inlines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "graphs.h"
#include "stacks.h"
#include "trees.h"

/* What was inlined at a place becomes calls of its own, where it is the sample's and where it
 * calls; a function that is inlined everywhere is marked, one that is called as well is not. */
static void test_inlines(void **state)
{
	struct profile *profile = functions(6);
	struct profile_location *b = &profile->locations[1], *d = &profile->locations[3];
	struct tree_functions list;

	(void)state;
	profile->location_count = 4; /* e and f stand nowhere by themselves */
	/* At b's place f stands in e, which stands in b; at d's place c in d. */
	for (uint32_t i = 0; i < 5; i++) {
		static const uint32_t called[] = {5, 4, 1, 2, 3};
		struct profile_line line = {.function = called[i]};
		uint32_t index;

		assert_int_equal(profile_add_line(profile, &line, &index), 0);
		if (!i)
			b->first_line = index;
	}
	b->line_count = 3;
	d->first_line = b->first_line + 3;
	d->line_count = 2;
	stacks_add(profile, "abd", STACK_WHOLE, 5);
	stacks_add(profile, "acd", STACK_WHOLE, 7);
	stacks_add(profile, "ab", STACK_WHOLE, 2);
	stacks_add(profile, "b", STACK_NO_RULE, 3);
	stacks_add(profile, "b", STACK_NO_RULE, 1);
	calls(profile, '-', 'a', 1);
	calls(profile, 'b', 'd', 9);
	check_text(profile, &(struct tree_options){0},
		   "a 14/0[b 7/2[d 5/5] c 7/0[d 7/7]] [truncated] 4/0[b 4/4]");
	assert_int_equal(inlines_open(profile), 0);
	check_text(profile, &(struct tree_options){0},
		   "a 14/0[b 7/0[e 7/0[f 7/2[d 5/0[c 5/5]]]] c 7/0[d 7/0[c 7/7]]] "
		   "[truncated] 4/0[b 4/0[e 4/0[f 4/4]]]");
	check_text(profile, &(struct tree_options){.reverse = true, .depth = 3},
		   "c 12/0[d 12/0[c 7/0 f 5/0]] f 6/0[e 6/0[b 6/0]]");
	check_sum(profile, "c", 12, 12);
	assert_int_equal(tree_functions_make(profile, &list), 0);
	for (uint32_t i = 0; i < list.count; i++)
		assert_int_equal(list.list[i].inlined,
				 *list.list[i].name == 'e' || *list.list[i].name == 'f');
	tree_functions_done(&list);
	/* f called, who stands innermost in b; d was called, not what stands in it. */
	assert_int_equal(profile->calls[0].caller, PROFILE_NO_CALLER);
	assert_int_equal(
		profile->lines[profile->locations[profile->calls[1].caller].first_line].function,
		5);
	assert_int_equal(profile->calls[1].callee, 3);
	/* Two samples at one place have one context. */
	assert_int_equal(profile->cells[3].context, profile->cells[4].context);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_inlines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
