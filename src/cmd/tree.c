// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "analysis/filter.h"
#include "analysis/inlines.h"
#include "cmd/command.h"
#include "cmd/reading.h"
#include "cmd/shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_REVERSE = KEY_OWN,
	KEY_DEPTH,
	KEY_VALUE,
};

/* As files have them; the first is samples. */
#define VALUES \
	"cpu|blocked|runqueue|still_blocked|wall|woken|times_blocked|times_queued|times_woken"

const struct option_row tree_options[] = {
	{KEY_REVERSE, "reverse", NULL, "leaf first: below each function who called it", "Rows"},
	OPTION_FUNCTION_ROW(KEY_FUNCTION),
	OPTION_INLINES_ROW("inlined functions too, as if they were called"),
	{KEY_DEPTH, "depth", "N", "at most N calls below each other, 0 for all (0)", NULL,
	 VALUE_COUNT, .max = 1 << 30, .accepted = "a number of calls, 0 for all"},
	{KEY_VALUE, "value", "WHAT", "what is added up: cpu (samples), blocked, runqueue, wall ...",
	 NULL, VALUE_CHOICE, .choices = VALUES},
	OPTION_MIN_ROW("add up what has less than this part of all samples (0.5%)"),
	OPTION_READING_ROWS,

	OPTION_TABLE_FORM_ROWS("colour: "),
	{0},
};

struct tree_command {
	struct tree_options tree;
	const char *function; /* NULL: all */
	const char *value;    /* NULL: samples */
	uint64_t min;	      /* millionths of all samples */
	bool inlines;
	struct reading reading;
};

static int take_option(void *context, int key, const struct option_value *value)
{
	struct tree_command *command = context;

	switch (key) {
	case KEY_REVERSE:
		command->tree.reverse = true;
		break;
	case KEY_FUNCTION:
		command->function = value->text;
		break;
	case KEY_INLINES:
		command->inlines = true;
		break;
	case KEY_DEPTH:
		command->tree.depth = (uint32_t)value->number;
		break;
	case KEY_VALUE:
		command->value = value->number ? value->text : NULL;
		break;
	case KEY_MIN:
		command->min = value->number;
		break;
	default:
		return reading_take(&command->reading, key, value);
	}
	return 0;
}

/* The fewest samples that are PART millionths of TOTAL. */
static uint64_t least_of(uint64_t total, uint64_t part)
{
	double least = (double)total * (double)part / 1e6;
	uint64_t whole = (uint64_t)least;

	return whole + ((double)whole < least);
}

static int print(const struct tree_command *command, const struct profile *profile,
		 const struct profile_account *account, const struct tree_functions *functions,
		 const struct tree_options *options)
{
	struct tree_page page = {
		.profile = profile,
		.functions = functions,
		.reverse = options->reverse,
		.min = options->min,
		.depth = options->depth,
		.value = command->value,
		.is_time = command->value && strncmp(command->value, "times_", 6) != 0,
		.account = *account,
	};
	struct report_style style;
	struct tree *tree;
	FILE *out;
	int ret = tree_build(profile, functions, options, &tree);

	if (ret < 0)
		return ret;
	page.tree = tree;
	reading_style(&command->reading, &style);
	out = reading_output(style.form);
	ret = out ? tree_print(out, &page, &style) : -ENOMEM;
	(void)tree_free(tree);
	return ret;
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct tree_command *command = context;
	struct tree_options options = command->tree;
	struct profile_account account, shown; /* of all samples, and of what is in the tree */
	struct tree_functions functions;
	struct error error = {""};
	bool *wanted = NULL;
	int ret, why;

	if (!tree_has_stacks(profile))
		return cmd_fail("tree: the profile has no call stacks: take it with -g");
	ret = reading_name_now(profile, &error);
	profile_account(profile, &account);
	if (ret >= 0 && command->value)
		ret = filter_value(command->value, profile, &error);
	if (ret >= 0 && command->inlines)
		ret = inlines_open(profile);
	if (ret >= 0)
		ret = tree_functions_make(profile, &functions);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (command->function)
		ret = tree_functions_match(&functions, command->function, &wanted, &error);
	if (ret >= 0) {
		profile_account(profile, &shown);
		options.wanted = wanted;
		options.min = least_of(shown.total, command->min);
		ret = print(command, profile, &account, &functions, &options);
	}
	why = errno;
	free(wanted);
	tree_functions_done(&functions);
	return ret == -EINVAL ? cmd_fail_error(ret, &error) : cmd_printed(ret, why);
}

int command_tree(int argc, char **argv)
{
	struct tree_command command = {.min = MIN_USUAL};
	int first;

	first = options_read(command_find("tree"), argc, argv, take_option, &command);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (reading_operand("tree", argc - first, argv + first, &command.reading.file))
		return EXIT_PROFIL;
	return reading_show(&command.reading, show, &command);
}
