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
static int try(const struct inside_ops *ops, const struct inside_options *options,
	       struct inside **ret_inside, struct error *reterr)
{
	int ret = ops->probe(options, reterr);

	return ret || !ret_inside ? ret : ops->start(options, ret_inside, reterr);
}

/* Returns 0 or the first refusal. */
static int try_all(const struct inside_options *options, const char *name,
		   const struct inside_ops **ret_ops, struct inside **ret_inside, struct error *why)
{
	int refusal = 0;

	for (size_t i = 0; inside_list[i]; i++) {
		struct error sentence = {.text = ""};
		int ret;

		if (name && strcmp(name, inside_list[i]->name) != 0)
			continue;
		ret = try(inside_list[i], options, ret_inside, &sentence);
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
	ret = try_all(options, name, ret_ops, ret_inside, why);
	if (ret || *ret_ops)
		return ret;
	return error_set(why, -ENOSYS,
			 "engine %s: there is none of that name: take kernel, perf or timer", name);
}

int inside_choose(const struct inside_options *options, const char *name,
		  const struct inside_ops **ret_ops, struct error *why)
{
	return inside_start(options, name, ret_ops, /* ret_inside: */ NULL, why);
}
