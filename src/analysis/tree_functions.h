/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The functions of a profile, each once: those of the symbol table, as in every view.  What has no
 * name is a function by itself. */

struct tree_function {
	const char *name;   /* text of the profile or of the list */
	const char *object; /* base name of its file */
	const char *path;   /* the file's full path */
	enum profile_class class;
	bool inlined; /* wherever it stands (analysis/inlines.h) */
};

struct tree_functions {
	struct tree_function *list; /* by name, then path; the last stands for callers not known */
	uint32_t count;
	uint32_t *of_location; /* for each location of the profile, its function */
	char **owned;	       /* text that only the list has */
	size_t owned_count, owned_capacity;
};

/* The last of the list. */
static inline uint32_t tree_functions_cut(const struct tree_functions *functions)
{
	return functions->count - 1;
}

/* *RET_FUNCTIONS is zeroed by tree_functions_done() again.  Returns 0 or -ENOMEM. */
int tree_functions_make(const struct profile *profile, struct tree_functions *ret_functions);

/* *RET_WANTED, heap, says for each function whether PATTERN, an extended regex as --function takes
 * it, matches its name.  Returns 0, -ENOMEM, or -EINVAL with a sentence. */
int tree_functions_match(const struct tree_functions *functions, const char *pattern,
			 bool **ret_wanted, struct error *reterr);
void tree_functions_done(struct tree_functions *functions);
