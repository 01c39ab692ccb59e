// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/tree.h"
#include "format/output.h"
#include "format/sample_tree.h"

#include <errno.h>
#include <inttypes.h>

/* LLVM's sample profile as text, for -fprofile-sample-use ("-fprofile-sample-use" and "Sample
 * Profile Text Format" in clang's manual): lines count from their function's own, and what was
 * inlined is below the line that called it:
 *
 *   main:160:0            function : ticks with all that is below : entries, which are not known
 *    3: 100               line 3 of main
 *    4: inlined:60        called from line 4
 *     1: 60
 *
 * By contexts, functions that were called are below their callers, too: clang inlines those that
 * take much time there, and lays each copy as its own samples say.  What it does not inline after
 * all it adds up again.  (Contexts in LLVM's own notation, "[main:4 @ inlined]", are weighed by how
 * often a line called, which samples do not know.) */

static void print_lines(struct output *output, const struct sample_tree *tree, uint32_t node,
			uint32_t depth)
{
	const struct sample_node *here = &tree->nodes[node];

	for (uint32_t i = here->lines; i != SAMPLE_NONE; i = tree->lines[i].next)
		output_print(output, "%*s%" PRIu32 ": %" PRIu64 "\n", (int)depth, "",
			     tree->lines[i].offset, tree->lines[i].ticks);
}

static void print_name(struct output *output, const struct sample_tree *tree, uint32_t node)
{
	output_plain(output, profile_text(tree->profile, tree->nodes[node].function), ":", '_');
}

/* NODE with all below it; inlining is at most SAMPLE_DEPTH_MAX deep. */
static void print_node(struct output *output, const struct sample_tree *tree, uint32_t node,
		       uint32_t depth)
{
	const struct sample_node *here = &tree->nodes[node];

	if (depth) {
		output_print(output, "%*s%" PRIu32 ": ", (int)depth, "", here->offset);
		print_name(output, tree, node);
		output_print(output, ":%" PRIu64 "\n", here->ticks);
	} else {
		print_name(output, tree, node);
		output_print(output, ":%" PRIu64 ":0\n", here->ticks);
	}
	print_lines(output, tree, node, depth + 1);
	for (uint32_t i = here->children; i != SAMPLE_NONE; i = tree->nodes[i].next)
		print_node(output, tree, i, depth + 1);
}

static int write_lines(const struct profile *profile, bool by_contexts, const char *path,
		       struct error *ret_left, struct error *reterr)
{
	struct sample_tree tree = {.profile = profile, .by_contexts = by_contexts};
	struct profile_account account;
	struct output output;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	ret = sample_tree_make(&tree);
	for (uint32_t i = tree.roots; ret >= 0 && i != SAMPLE_NONE; i = tree.nodes[i].next)
		print_node(&output, &tree, i, 0);
	profile_account(profile, &account);
	*ret_left = (struct error){""};
	if (ret >= 0 && tree.ticks != account.total)
		(void)error_set(ret_left, 0,
				"of %" PRIu64 " samples %" PRIu64
				" are of no known source line and left out: build with -g",
				account.total, account.total - tree.ticks);
	sample_tree_done(&tree);
	return output_close(&output, ret, reterr);
}

static int write_llvm(const struct profile *profile, const char *path, struct error *ret_left,
		      struct error *reterr)
{
	return write_lines(profile, /* by_contexts= */ false, path, ret_left, reterr);
}

static int write_contexts(const struct profile *profile, const char *path, struct error *ret_left,
			  struct error *reterr)
{
	if (!tree_has_stacks(profile))
		return error_set(reterr, -ENOTSUP,
				 "the profile has no call stacks: take it with -g");
	return write_lines(profile, /* by_contexts= */ true, path, ret_left, reterr);
}

const struct format_ops llvm_format = {
	.name = "llvm",
	.summary = "for clang's -fprofile-sample-use",
	.write = write_llvm,
};

const struct format_ops llvm_contexts_format = {
	.name = "llvm-contexts",
	.summary = "the same, with what was called as if inlined",
	.write = write_contexts,
};
