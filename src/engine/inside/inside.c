// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Best first: the kernel counts without the program's help; perf's ticks come at the period asked
 * and cost no signal; the timer's need nothing but are seen only when the kernel's own tick is. */
const struct inside_ops *const inside_list[] = {&inside_kernel, &inside_perf, &inside_timer, NULL};

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

/* Returns 0 or the first refusal. */
static int choose(const struct inside_options *options, const char *name,
		  const struct inside_ops **ret_ops, struct error *why)
{
	int refusal = 0;

	for (size_t i = 0; inside_list[i]; i++) {
		struct error sentence = {.text = ""};
		int ret;

		if (name && strcmp(name, inside_list[i]->name) != 0)
			continue;
		ret = inside_list[i]->probe(options, &sentence);
		if (!ret) {
			*ret_ops = inside_list[i];
			return 0;
		}
		pass_over(why, inside_list[i]->name, &sentence);
		if (!refusal)
			refusal = ret;
	}
	return refusal ? refusal : -ENOSYS;
}

int inside_choose(const struct inside_options *options, const char *name,
		  const struct inside_ops **ret_ops, struct error *why)
{
	int ret;

	if (why)
		why->text[0] = '\0';
	ret = choose(options, name, ret_ops, why);
	if (ret == -ENOSYS && why && !why->text[0])
		return error_set(why, ret, "engine %s: there is none of that name: see inside_list",
				 name);
	return ret;
}
