// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

/* What the rows decide comes first, as three small functions of the shell; the walk over the
 * words, which is the same for any table, is text. */

static void print_choices(FILE *out, const char *choices)
{
	const char *word;
	int length;

	while ((length = choice_next(&choices, &word)) != 0)
		(void)fprintf(out, " %.*s", length, word);
}

static void print_command_names(FILE *out)
{
	for (const struct command *command = commands; command->name; command++)
		(void)fprintf(out, " %s", command->name);
}

/* "compgen" and what it offers for a value of KIND. */
static void print_offer(FILE *out, enum value_kind kind, const char *choices)
{
	switch (kind) {
	case VALUE_CHOICE:
	case VALUE_WORD:
		(void)fputs("COMPREPLY=($(compgen -W '", out);
		print_choices(out, choices);
		(void)fputs("' -- \"$word\"))", out);
		break;
	case VALUE_COMMAND:
		(void)fputs("COMPREPLY=($(compgen -W '", out);
		print_command_names(out);
		(void)fputs("' -- \"$word\"))", out);
		break;
	case VALUE_FILE:
	case VALUE_DOS_PROGRAM:
	case VALUE_FILES:
		(void)fputs("compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\"))", out);
		break;
	case VALUE_PROGRAM:
		(void)fputs("compopt -o filenames; COMPREPLY=($(compgen -c -- \"$word\"))", out);
		break;
	default:
		(void)fputs("COMPREPLY=()", out);
		break;
	}
}

static void print_names(FILE *out, const struct command *command)
{
	(void)fprintf(out, "\t%s) echo \"", command->name);
	OPTIONS_EACH(row, command->options)
	{
		if (row->letter)
			(void)fprintf(out, " -%c", row->letter);
		(void)fprintf(out, " --%s", row->name);
	}
	(void)fputs("\" ;;\n", out);
}

static void print_values(FILE *out, const struct command *command)
{
	OPTIONS_EACH(row, command->options)
	{
		if (!option_needs_value(row))
			continue;
		(void)fprintf(out, "\t'%s --%s'", command->name, row->name);
		if (row->letter)
			(void)fprintf(out, " | '%s -%c'", command->name, row->letter);
		(void)fputs(") ", out);
		print_offer(out, row->kind, row->choices);
		(void)fputs(" ;;\n", out);
	}
}

static void print_tables(FILE *out)
{
	(void)fputs("# The options of command $1.\n_profil_options()\n{\n\tcase $1 in\n", out);
	for (const struct command *command = commands; command->name; command++)
		print_names(out, command);
	(void)fputs(
		"\tesac\n}\n\n"
		"# Offer values for $word of option $2 of command $1; false when it takes none.\n"
		"_profil_value()\n{\n\tcase \"$1 $2\" in\n",
		out);
	for (const struct command *command = commands; command->name; command++)
		print_values(out, command);
	(void)fputs("\t*) return 1 ;;\n\tesac\n}\n\n"
		    "# Offer what command $1 works on.\n"
		    "_profil_operand()\n{\n\tcase $1 in\n",
		    out);
	for (const struct command *command = commands; command->name; command++) {
		(void)fprintf(out, "\t%s) ", command->name);
		print_offer(out, command->operand, command->operand_choices);
		(void)fputs(" ;;\n", out);
	}
	(void)fputs("\tesac\n}\n\n_profil_commands='", out);
	print_command_names(out);
	OPTIONS_EACH(row, global_options)
	(void)fprintf(out, " --%s", row->name);
	(void)fputs("'\n\n", out);
}

static const char walk[] =
	"_profil()\n"
	"{\n"
	"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command=run i=1\n"
	"\tCOMPREPLY=()\n"
	"\tif ((COMP_CWORD > 1)) && [[ \" $_profil_commands \" == *\" ${COMP_WORDS[1]} \"* ]]; "
	"then\n"
	"\t\tcommand=${COMP_WORDS[1]} i=2\n"
	"\tfi\n"
	"\t# Readline breaks \"--by=li\" into three words.\n"
	"\tif [[ $word == '=' ]]; then\n"
	"\t\tword=\n"
	"\telif [[ $before == '=' ]]; then\n"
	"\t\tbefore=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\tfi\n"
	"\t# The words of a program are the program's.\n"
	"\tif [[ $command == run || $command == record || $command == dos ]]; then\n"
	"\t\twhile ((i < COMP_CWORD)); do\n"
	"\t\t\tcase ${COMP_WORDS[i]} in\n"
	"\t\t\t--) ((i++)); break ;;\n"
	"\t\t\t-*) if [[ ${COMP_WORDS[i+1]} == '=' ]]; then ((i += 2))\n"
	"\t\t\t    elif word= _profil_value \"$command\" \"${COMP_WORDS[i]}\"; then ((i++)); fi "
	";;\n"
	"\t\t\t*) break ;;\n"
	"\t\t\tesac\n"
	"\t\t\t((i++))\n"
	"\t\tdone\n"
	"\t\tCOMPREPLY=()\n"
	"\t\tif ((i < COMP_CWORD)); then\n"
	"\t\t\tif declare -F _command_offset >/dev/null; then _command_offset \"$i\"\n"
	"\t\t\telse compopt -o filenames; COMPREPLY=($(compgen -f -- \"$word\")); fi\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\tfi\n"
	"\tif [[ $before == -* ]] && _profil_value \"$command\" \"$before\"; then\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ $word == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$(_profil_options \"$command\")\" -- \"$word\"))\n"
	"\t\tif ((COMP_CWORD == 1)); then\n"
	"\t\t\tCOMPREPLY+=($(compgen -W \"--version\" -- \"$word\"))\n"
	"\t\tfi\n"
	"\t\treturn\n"
	"\tfi\n"
	"\t_profil_operand \"$command\"\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tCOMPREPLY+=($(compgen -W \"$_profil_commands\" -- \"$word\"))\n"
	"\tfi\n"
	"} &&\n"
	"complete -F _profil profil\n";

void completion_print_bash(FILE *out)
{
	(void)fputs("# bash completion for profil, as 'profil completion bash' prints it\n\n", out);
	print_tables(out);
	(void)fputs(walk, out);
}
