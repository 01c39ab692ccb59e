// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include <string.h>

/* TEXT between single quotes of the shell, with what _arguments and _describe take for themselves
 * behind a backslash. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			(void)fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			(void)fprintf(out, "\\%c", *text);
		else
			(void)fputc(*text, out);
	}
}

static void print_choices(FILE *out, const char *choices)
{
	const char *word;
	int length;

	(void)fputc('(', out);
	for (int i = 0; (length = choice_next(&choices, &word)) != 0; i++)
		(void)fprintf(out, "%s%.*s", i ? " " : "", length, word);
	(void)fputc(')', out);
}

static void print_value(FILE *out, const struct option_row *row)
{
	(void)fprintf(out, ":%s:", row->argument);
	if (row->kind == VALUE_FILE)
		(void)fputs("_files", out);
	else if (row->kind == VALUE_CHOICE || row->kind == VALUE_WORD)
		print_choices(out, row->choices);
}

static void print_option(FILE *out, const struct option_row *row)
{
	if (row->letter)
		(void)fprintf(out, "\t\t'(-%c --%s)'{-%c%s,--%s%s}'[", row->letter, row->name,
			      row->letter, option_needs_value(row) ? "+" : "", row->name,
			      option_needs_value(row) ? "=" : "");
	else
		(void)fprintf(out, "\t\t'--%s%s[", row->name, option_needs_value(row) ? "=" : "");
	print_escaped(out, row->help);
	(void)fputc(']', out);
	if (option_needs_value(row))
		print_value(out, row);
	(void)fputs("' \\\n", out);
}

static void print_operand(FILE *out, const struct command *command)
{
	switch (command->operand) {
	case VALUE_PROGRAM:
		(void)fputs("\t\t'(-)1:program:_command_names -e' '*::argument:_normal'\n", out);
		break;
	case VALUE_DOS_PROGRAM:
		(void)fputs("\t\t'(-)1:program:_files' '*:argument:_files'\n", out);
		break;
	case VALUE_FILE:
		(void)fputs("\t\t'1:profile:_files'\n", out);
		break;
	case VALUE_FILES:
		(void)fputs("\t\t'*:profile:_files'\n", out);
		break;
	case VALUE_CHOICE:
		(void)fputs("\t\t'1:word:", out);
		print_choices(out, command->operand_choices);
		(void)fputs("'\n", out);
		break;
	case VALUE_COMMAND:
		(void)fputs("\t\t'1:command:_profil_commands'\n", out);
		break;
	default:
		(void)fputs("\t\t':'\n", out);
		break;
	}
}

static void print_command(FILE *out, const struct command *command)
{
	(void)fprintf(out, "_profil_%s()\n{\n\t_arguments -s -S : \\\n", command->name);
	OPTIONS_EACH(row, command->options)
	print_option(out, row);
	print_operand(out, command);
	(void)fputs("}\n\n", out);
}

static void print_commands(FILE *out)
{
	(void)fputs("_profil_commands()\n{\n\tlocal -a commands=(\n", out);
	for (const struct command *command = commands; command->name; command++) {
		(void)fprintf(out, "\t\t'%s:", command->name);
		print_escaped(out, command->summary);
		(void)fputs("'\n", out);
	}
	(void)fputs("\t)\n\t_describe -t commands 'profil command' commands\n}\n\n", out);
}

void completion_print_zsh(FILE *out)
{
	(void)fputs("#compdef profil\n"
		    "# zsh completion for profil, as 'profil completion zsh' prints it\n\n",
		    out);
	print_commands(out);
	for (const struct command *command = commands; command->name; command++)
		print_command(out, command);
	(void)fputs("_profil()\n{\n"
		    "\tif ((CURRENT > 2)) && ((${+functions[_profil_$words[2]]})); then\n"
		    "\t\tlocal command=$words[2]\n"
		    "\t\tshift words\n"
		    "\t\t((CURRENT--))\n"
		    "\t\t_profil_$command\n"
		    "\t\treturn\n"
		    "\tfi\n"
		    "\t((CURRENT == 2)) && _profil_commands\n"
		    "\t_profil_run\n"
		    "}\n\n"
		    "_profil \"$@\"\n",
		    out);
}
