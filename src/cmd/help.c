// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include <string.h>

/* Where the explanations begin. */
#define HELP_COLUMN 26
#define HELP_WIDTH 62

/* Choices that are too long for a line go on below. */
static void print_explanation(FILE *out, const char *help)
{
	while (strlen(help) > HELP_WIDTH) {
		int length = HELP_WIDTH;

		while (length > 1 && !strchr("| ", help[length - 1]))
			length--;
		(void)fprintf(out, "%.*s\n%*s", length, help, HELP_COLUMN, "");
		help += length;
	}
	(void)fprintf(out, "%s\n", help);
}

static void print_option(FILE *out, const struct option_row *row)
{
	char word[64];
	int width;

	width = snprintf(word, sizeof(word), "--%s%s%s", row->name,
			 option_needs_value(row) ? "=" : "", row->argument ? row->argument : "");
	if (row->letter)
		(void)fprintf(out, "  -%c, %s", row->letter, word);
	else
		(void)fprintf(out, "      %s", word);
	width += 6;
	if (width > HELP_COLUMN - 2) {
		(void)fputc('\n', out);
		width = 0;
	}
	(void)fprintf(out, "%*s", HELP_COLUMN - width, "");
	print_explanation(out, row->help);
}

static void print_options(FILE *out, const struct option_row *rows)
{
	OPTIONS_EACH(row, rows)
	{
		if (row->group)
			(void)fprintf(out, "\n%s:\n", row->group);
		print_option(out, row);
	}
}

void help_print_command(FILE *out, const struct command *command)
{
	(void)fprintf(out, "Usage: profil %s\n\n%s\n", command->synopsis, command->sentence);
	print_options(out, command->options);
	(void)fprintf(out, "\nSee also: %s\n", command->see_also);
}

void help_print(FILE *out)
{
	(void)fputs("Usage: profil [run] [OPTION...] [--] PROGRAM [ARG...]\n"
		    "       profil COMMAND [OPTION...]\n"
		    "\n"
		    "Show where the CPU time of a program went: at every tick of a clock the "
		    "kernel counts\nwhere the program is. No sample is stored by itself.\n"
		    "\n"
		    "Commands:\n",
		    out);
	for (const struct command *command = commands; command->name; command++)
		(void)fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, command->name, command->summary);
	print_options(out, global_options);
	(void)fputs("\nSee also: 'profil help COMMAND', profil(1), profil-report(1), "
		    "profil-annotate(1), profil-html(1)\n",
		    out);
}

int command_help(int argc, char **argv)
{
	const struct command *command = command_find("help");
	int first;

	first = options_read(command, argc, argv, NULL);
	if (first < 0)
		return EXIT_PROFIL;
	/* "profil --help" and "profil -h" come here too, with that word as argv[0]. */
	if (first == 0)
		return 0;
	if (argc - first > 1)
		return cmd_fail("help: more than one command: name one, or none for all");
	if (first == argc) {
		help_print(stdout);
		return 0;
	}
	command = command_find(argv[first]);
	if (!command)
		return cmd_fail("help: no command is called '%s': see 'profil help'", argv[first]);
	help_print_command(stdout, command);
	return 0;
}
