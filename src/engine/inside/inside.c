// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* One more line: "NAME: SENTENCE". */
static void pass_over(struct error *why, const char *name, const struct error *sentence)
{
	size_t used;

	if (!why)
		return;
	used = strlen(why->text);
	(void)snprintf(why->text + used, sizeof(why->text) - used, "%s%s: %s", used ? "\n" : "",
		       name, sentence->text);
}

/* Whether OPS can, and if RET_INSIDE is given, that it does. */
static int try(const struct inside_ops *ops, const struct inside_options *options, bool is_named,
	       struct inside **ret_inside, struct error *reterr)
{
	int ret = is_named || !ops->suits ? 0 : ops->suits(options, reterr);

	if (!ret)
		ret = ops->probe(options, reterr);
	return ret || !ret_inside ? ret : ops->start(options, ret_inside, reterr);
}

/* From the engine at FIRST on.  Returns 0 or the first refusal. */
static int try_all(const struct inside_options *options, const char *name, size_t first,
		   const struct inside_ops **ret_ops, struct inside **ret_inside, struct error *why)
{
	int refusal = 0;

	for (size_t i = first; inside_list[i]; i++) {
		struct error sentence = {.text = ""};
		int ret;

		if (name && strcmp(name, inside_list[i]->name) != 0)
			continue;
		ret = try(inside_list[i], options, /* is_named= */ name, ret_inside, &sentence);
		if (!ret) {
			*ret_ops = inside_list[i];
			return 0;
		}
		pass_over(why, inside_list[i]->name, &sentence);
		if (!refusal)
			refusal = ret;
	}
	return refusal;
}

int inside_start(const struct inside_options *options, const char *name,
		 const struct inside_ops **ret_ops, struct inside **ret_inside, struct error *why)
{
	int ret;

	if (why)
		why->text[0] = '\0';
	*ret_ops = NULL;
	ret = try_all(options, name, /* first= */ 0, ret_ops, ret_inside, why);
	if (ret || *ret_ops)
		return ret;
	return error_set(why, -ENOSYS,
			 "engine %s: there is none of that name: take kernel, perf or timer", name);
}

int inside_choose(const struct inside_options *options, const char *name,
		  const struct inside_ops **ret_ops, struct error *why)
{
	return inside_start(options, name, ret_ops, /* ret_inside= */ NULL, why);
}

int inside_go_on(const struct inside_options *options, bool is_named, const struct inside_ops **ops,
		 struct inside **ret_inside)
{
	const struct inside_ops *before = *ops;
	size_t first = 0;

	while (inside_list[first] && inside_list[first] != before)
		first++;
	if (before == &inside_kernel) {
		first++;
		is_named = false;
	}
	*ops = NULL;
	(void)try_all(options, is_named ? before->name : NULL, first, ops, ret_inside,
		      /* why= */ NULL);
	return *ops ? 0 : -EPERM;
}
