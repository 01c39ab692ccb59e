// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/option.h"

#include "base/parse.h"
#include "cmd/command.h"
#include "cmd/guess.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define OPTIONS_MAX 64
#define OPTION_NAME_MAX 64
#define CHOICES_MAX 512

/* What getopt_long(3) calls options without a letter: this and on, by their place in the table. */
#define LONG_ONLY 256

/* The rows of a command as getopt_long(3) wants them. */
struct getopt_tables {
	char letters[2 + 2 * OPTIONS_MAX + 1];
	struct option names[OPTIONS_MAX + 1];
};

int choice_next(const char **choices, const char **ret_word)
{
	int length = (int)strcspn(*choices, "|");

	*ret_word = *choices;
	*choices += length;
	if (**choices)
		(*choices)++;
	return length;
}

/* A command that starts a program stops at the program's name: what follows is not profil's. */
static void fill_tables(const struct command *command, struct getopt_tables *tables)
{
	char *letter = tables->letters;
	size_t count = 0;

	memset(tables, 0, sizeof(*tables));
	if (command->operand == VALUE_PROGRAM || command->operand == VALUE_DOS_PROGRAM)
		*letter++ = '+';
	*letter++ = ':';
	OPTIONS_EACH(row, command->options)
	{
		assert(count < OPTIONS_MAX);
		tables->names[count] = (struct option){
			.name = row->name,
			.has_arg = option_needs_value(row) ? required_argument
				   : row->argument	   ? optional_argument
							   : no_argument,
			.val = row->letter ? row->letter : LONG_ONLY + (int)count,
		};
		count++;
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
}

static const struct option_row *find_row(const struct command *command, int key)
{
	int place = LONG_ONLY;

	OPTIONS_EACH(row, command->options)
	{
		if (key == (row->letter ? row->letter : place))
			return row;
		place++;
	}
	return NULL;
}

static int read_choice(const char *choices, const char *text, uint64_t *ret_index)
{
	const char *word;
	size_t length;

	for (uint64_t i = 0; (length = (size_t)choice_next(&choices, &word)) != 0; i++) {
		if (strlen(text) == length && !strncmp(text, word, length)) {
			*ret_index = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int read_value(const struct option_row *row, const char *text, uint64_t *ret_number)
{
	switch (row->kind) {
	case VALUE_COUNT:
		return parse_count(text, row->min, row->max, ret_number);
	case VALUE_RATE:
		return parse_rate(text, row->min, row->max, ret_number);
	case VALUE_TIME:
		return parse_duration(text, row->min, row->max, ret_number);
	case VALUE_PERCENT:
		return parse_percent(text, row->min, row->max, ret_number);
	case VALUE_SIZE:
		return parse_size(text, row->min, row->max, ret_number);
	case VALUE_CHOICE:
		return read_choice(row->choices, text, ret_number);
	case VALUE_FILE:
		return *text ? 0 : -EINVAL;
	default:
		return 0;
	}
}

static const char *what_is_wrong(const struct option_row *row, int error)
{
	if (error == -ERANGE)
		return "out of range";
	switch (row->kind) {
	case VALUE_COUNT:
		return "not a number";
	case VALUE_RATE:
		return "not a rate";
	case VALUE_TIME:
		return "not a time";
	case VALUE_PERCENT:
		return "not a part in percent";
	case VALUE_SIZE:
		return "not a size";
	default:
		return "an empty name";
	}
}

/* ROW as it was typed, "--frequency" or "-F". */
static const char *typed(const struct option_row *row, bool is_long, char name[OPTION_NAME_MAX])
{
	if (is_long)
		(void)snprintf(name, OPTION_NAME_MAX, "--%s", row->name);
	else
		(void)snprintf(name, OPTION_NAME_MAX, "-%c", row->letter);
	return name;
}

static int fail_choice(const char *name, const char *choices, const char *text)
{
	char list[CHOICES_MAX] = "";
	size_t length = 0;
	const char *word;
	int word_length;

	while ((word_length = choice_next(&choices, &word)) != 0 && length < sizeof(list))
		length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%.*s",
					   length ? ", " : "", word_length, word);
	(void)cmd_fail("%s '%s': choose from %s", name, text, list);
	return -EINVAL;
}

static int fail_value(const struct option_row *row, bool is_long, const char *text, int error)
{
	char name[OPTION_NAME_MAX];

	(void)typed(row, is_long, name);
	if (row->kind == VALUE_CHOICE)
		return fail_choice(name, row->choices, text);
	(void)cmd_fail("%s '%s': %s: give %s", name, text, what_is_wrong(row, error),
		       row->accepted ? row->accepted : "a path");
	return -EINVAL;
}

static bool is_ambiguous(const struct command *command, const char *word, size_t length)
{
	int count = 0;

	OPTIONS_EACH(row, command->options)
	count += !strncmp(row->name, word, length);
	return count > 1;
}

/* Whether `profil report` has the option, whose filters not every command can apply. */
static bool is_of_report(const char *name, int length)
{
	OPTIONS_EACH(row, report_options)
	if (strlen(row->name) == (size_t)length && !strncmp(row->name, name, (size_t)length))
		return true;
	return false;
}

static int fail_unknown(const struct command *command, const char *word)
{
	int length = (int)strcspn(word, "=");
	const char *name = word + strspn(word, "-");
	int name_length = length - (int)(name - word);
	const char *foreign = guess_foreign_option(word, length);
	const struct option_row *near = guess_option(command->options, name, name_length);

	if (foreign)
		(void)cmd_fail("%.*s: %s", length, word, foreign);
	else if (word[1] == '-' && is_ambiguous(command, name, (size_t)name_length))
		(void)cmd_fail("%.*s: ambiguous option: see 'profil help %s'", length, word,
			       command->name);
	else if (word[1] == '-' && is_of_report(name, name_length))
		(void)cmd_fail("%.*s: not an option of 'profil %s': 'profil report' has it", length,
			       word, command->name);
	else if (near)
		(void)cmd_fail("%.*s: unknown option: did you mean --%s?", length, word,
			       near->name);
	else
		(void)cmd_fail("%.*s: unknown option: see 'profil help %s'", length, word,
			       command->name);
	return -EINVAL;
}

/* getopt_long() found no such option, or a value where none belongs. */
static int fail_option(const struct command *command, char **argv)
{
	const struct option_row *row = optopt ? find_row(command, optopt) : NULL;
	const char letter[] = {'-', (char)optopt, '\0'};

	if (!row)
		return fail_unknown(command, optopt ? letter : argv[optind - 1]);
	(void)cmd_fail("--%s: takes no value: see 'profil help %s'", row->name, command->name);
	return -EINVAL;
}

/* It is the last word that wants a value. */
static int fail_missing(const struct command *command, const char *last)
{
	const struct option_row *row = find_row(command, optopt);
	char name[OPTION_NAME_MAX];

	(void)cmd_fail("%s: needs a value, %s: see 'profil help %s'",
		       typed(row, !strncmp(last, "--", 2), name), row->argument, command->name);
	return -EINVAL;
}

/* Returns 0, or non-zero as .take does. */
static int store(const struct option_row *row, const struct option_value *value, void *options)
{
	void *field = (char *)options + row->field.offset;
	uint64_t number = value->number + row->base;
	uint32_t before;

	if (row->field.is_text) {
		*(const char **)field = value->text;
	} else if (row->field.size == sizeof(bool)) {
		*(bool *)field = number;
	} else if (row->field.size == sizeof(uint32_t)) {
		before = *(uint32_t *)field;
		*(uint32_t *)field = (uint32_t)number;
		if (row->alone && before && before != number)
			return cmd_fail("%s", row->alone);
	} else if (row->field.size) {
		*(uint64_t *)field = number;
	}
	return row->take ? row->take(options, value) : 0;
}

static int take_option(const struct option_row *row, bool is_long, void *options)
{
	struct option_value value = {.name = row->name, .text = optarg};
	int ret;

	ret = optarg ? read_value(row, optarg, &value.number) : 0;
	if (ret < 0)
		return fail_value(row, is_long, optarg, ret);
	return store(row, &value, options) ? -EINVAL : 0;
}

int options_read(const struct command *command, int argc, char **argv, void *options)
{
	struct getopt_tables tables;
	int key, ret, index;

	fill_tables(command, &tables);
	opterr = 0;
	optind = 0; /* glibc: begin anew, and look at the '+' again */
	while (index = -1,
	       (key = getopt_long(argc, argv, tables.letters, tables.names, &index)) != -1) {
		if (key == '?')
			return fail_option(command, argv);
		if (key == ':')
			return fail_missing(command, argv[optind - 1]);
		if (key == 'h') {
			help_print_command(stdout, command);
			return 0;
		}
		ret = take_option(find_row(command, key), index >= 0, options);
		if (ret < 0)
			return ret;
	}
	return optind;
}
