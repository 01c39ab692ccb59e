// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/table.h"
#include "format/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Every row of every table is in the help and in both completions. */

static void print_nothing(FILE *out)
{
}

static char *capture(void print(FILE *), const struct command *command)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	if (command)
		help_print_command(out, command);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void check_contains(const char *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void check_contains(const char *text, const char *format, ...)
{
	char wanted[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	if (!strstr(text, wanted))
		fail_msg("\"%s\" is not in:\n%s", wanted, text);
}

/* Explanations that go on below are one line again. */
static void unfold(char *help)
{
	static const char fold[] = "\n                          ";

	for (char *at = help; (at = strstr(at, fold));)
		memmove(at, at + strlen(fold), strlen(at + strlen(fold)) + 1);
}

static void test_help_has_every_row(void **state)
{
	char *all = capture(help_print, NULL);

	for (const struct command *command = commands; command->name; command++) {
		char *help = capture(print_nothing, command);

		unfold(help);
		check_contains(all, "\n  %s ", command->name);
		check_contains(all, "%s\n", command->summary);
		check_contains(help, "Usage: profil %s\n\n", command->synopsis);
		check_contains(help, "\nSee also: ");
		OPTIONS_EACH(row, command->options)
		{
			check_contains(help, "--%s%s%s", row->name,
				       option_needs_value(row) ? "="
				       : row->argument	       ? ""
							       : " ",
				       row->argument ? row->argument : "");
			check_contains(help, "%s\n", row->help);
			if (row->letter)
				check_contains(help, "  -%c, --%s", row->letter, row->name);
		}
		free(help);
	}
	free(all);
}

static void test_help_fits_a_page(void **state)
{
	for (const struct command *command = commands; command->name; command++) {
		char *help = capture(print_nothing, command);

		for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"))
			assert_true(strlen(line) <= 88);
		free(help);
	}
}

/* What --to offers is what can be written. */
static void test_formats_are_offered(void **state)
{
	const char *choices = export_options[0].choices, *word;
	size_t offered = 0, written = 0;
	int length;

	assert_string_equal(export_options[0].name, "to");
	while ((length = choice_next(&choices, &word)) != 0) {
		char *name = strndup(word, (size_t)length);

		assert_non_null(format_called(name));
		assert_non_null(strstr(command_find("export")->sentence, name));
		free(name);
		offered++;
	}
	for (size_t i = 0; i < format_count; i++)
		written += formats[i]->write != NULL;
	assert_int_equal(offered, written);
}

static void test_completions_have_every_row(void **state)
{
	char *bash = capture(completion_print_bash, NULL);
	char *zsh = capture(completion_print_zsh, NULL);

	for (const struct command *command = commands; command->name; command++) {
		check_contains(bash, "\t%s) echo \" ", command->name);
		check_contains(zsh, "_profil_%s()", command->name);
		OPTIONS_EACH(row, command->options)
		{
			check_contains(bash, " --%s", row->name);
			check_contains(zsh, "--%s", row->name);
			if (option_needs_value(row))
				check_contains(bash, "'%s --%s'", command->name, row->name);
			if (row->choices)
				check_contains(zsh, row->letter ? "--%s=}'[" : "--%s=[", row->name);
		}
	}
	free(bash);
	free(zsh);
}

static bool same_name(const struct option_row *a, const struct option_row *b)
{
	return (a->letter && a->letter == b->letter) || !strcmp(a->name, b->name);
}

static void test_rows_are_sound(void **state)
{
	for (const struct command *command = commands; command->name; command++) {
		assert_ptr_equal(command_find(command->name), command);
		assert_non_null(command->options[0].group);
		OPTIONS_EACH(row, command->options)
		{
			assert_int_equal(!row->argument, row->kind == VALUE_NONE);
			assert_int_equal(!row->choices,
					 row->kind != VALUE_CHOICE && row->kind != VALUE_WORD);
			if (row->kind == VALUE_COUNT || row->kind == VALUE_RATE ||
			    row->kind == VALUE_TIME || row->kind == VALUE_PERCENT ||
			    row->kind == VALUE_SIZE)
				assert_true(row->min <= row->max && row->accepted);
			/* "system -a" says what is so anyway. */
			if (strcmp(row->name, "help") != 0 && command->options != system_options)
				assert_true(row->field.size || row->take);
			for (const struct option_row *other = row + 1; other->name; other++)
				assert_false(same_name(row, other));
		}
	}
	assert_null(command_find("frob"));
}

/* --by hands on the number of the choice. */
static void check_by(const struct option_row *rows)
{
	const char *choices = NULL, *word;
	size_t length;

	for (; rows->name; rows++)
		if (!strcmp(rows->name, "by"))
			choices = rows->choices;
	for (int i = 0; i < TABLE_BYS; i++) {
		const char *name = table_by_name((enum table_by)i);

		length = (size_t)choice_next(&choices, &word);
		assert_int_equal(length, strlen(name));
		assert_memory_equal(word, name, length);
	}
	assert_int_equal(choice_next(&choices, &word), 0);
}

static void test_choices_of_by(void **state)
{
	check_by(measuring_options);
	check_by(report_options);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_help_has_every_row),
		cmocka_unit_test(test_help_fits_a_page),
		cmocka_unit_test(test_formats_are_offered),
		cmocka_unit_test(test_completions_have_every_row),
		cmocka_unit_test(test_rows_are_sound),
		cmocka_unit_test(test_choices_of_by),
	};

	return cmocka_run_group_tests_name("command", tests, NULL, NULL);
}
