/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree.h"
#include "cmd/reading.h"
#include "cmd/shared.h"

/* What commands that show call stacks do alike. */

/* What they are told alike.  Their own options begin with it. */
struct stacks_options {
	struct reading reading;
	struct tree_options tree;
	const char *function; /* NULL: all */
	uint32_t value;	      /* 0: samples; or the enum histogram_value and 1 */
	uint64_t min;	      /* millionths of all samples */
	bool inlines;
};

#define OPTION_STACKS_ROWS(group)                                                                \
	{0,	"reverse",                                                                       \
	 NULL,	"leaf first: below each function who called it",                                 \
	 group, SETS(struct stacks_options, tree.reverse, true)},                                \
		OPTION_FUNCTION_ROW(0, INTO(struct stacks_options, function)),                   \
		OPTION_INLINES_ROW("inlined functions too, as if they were called",              \
				   SETS(struct stacks_options, inlines, true)),                  \
		OPTION_VALUE_ROW("what is added up: cpu (samples), blocked, runqueue, wall ...", \
				 INTO(struct stacks_options, value))

/* The tree of a profile, and what it was made of. */
struct stacks {
	const struct profile *profile;
	struct tree_options tree_options;
	struct profile_account account; /* of all samples */
	struct tree_functions functions;
	struct tree *tree;
};

/* Make *RET_STACKS of PROFILE for command NAME, as OPTIONS say; stacks_done() frees it.  Returns 0,
 * or an exit status after having said why. */
int stacks_make(const char *name, const struct stacks_options *options, struct profile *profile,
		struct stacks *ret_stacks);
void stacks_done(struct stacks *stacks);
