/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_TREES_H
#define PROFIL_TESTS_UNIT_TREES_H

/* What the trees of a profile's call stacks are; include it behind cmocka.h. */

#include "analysis/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tree as text: "main 5/1[f 4/4 ...]", total and self of each node. */
static inline char *text_of(const struct profile *profile, const struct tree_options *options)
{
	struct tree_functions functions;
	struct tree *tree;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	uint32_t depth = 0;

	assert_non_null(out);
	assert_int_equal(tree_functions_make(profile, &functions), 0);
	assert_int_equal(tree_build(profile, &functions, options, &tree), 0);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		for (; depth > node->depth; depth--)
			(void)fputc(']', out);
		(void)fprintf(out, "%s%s %u/%u", i && tree->nodes[i - 1].end == i ? " " : "",
			      functions.list[node->function].name, (unsigned)node->total,
			      (unsigned)node->self);
		if (node->end > i + 1)
			(void)fputc('[', out);
		depth = node->depth + (node->end > i + 1);
	}
	for (; depth; depth--)
		(void)fputc(']', out);
	assert_int_equal(fclose(out), 0);
	(void)tree_free(tree);
	tree_functions_done(&functions);
	return text;
}

static inline void check_text(const struct profile *profile, const struct tree_options *options,
			      const char *wanted)
{
	char *text = text_of(profile, options);

	assert_string_equal(text, wanted);
	free(text);
}

static inline void check_sum(const struct profile *profile, const char *name, uint64_t self,
			     uint64_t total)
{
	struct tree_functions functions;
	struct tree *tree;
	uint32_t i = 0;

	assert_int_equal(tree_functions_make(profile, &functions), 0);
	assert_int_equal(tree_build(profile, &functions, &(struct tree_options){0}, &tree), 0);
	while (strcmp(functions.list[i].name, name) != 0)
		i++;
	assert_int_equal(tree->sums[i].self, self);
	assert_int_equal(tree->sums[i].total, total);
	(void)tree_free(tree);
	tree_functions_done(&functions);
}

#endif
