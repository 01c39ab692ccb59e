/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "cmd/option.h"

#include <stdio.h>

/* The commands.  Dispatch, help, the reading of options and the shells' completions all come from
 * the rows of one table; a new command is a file with its rows and a line in command.c. */

/* What profil itself returns when it could not do what was asked; a measured program's own status
 * passes through untouched (126 and 127 as env(1) has them). */
#define EXIT_PROFIL 125

struct command {
	const char *name;
	const char *summary;  /* a few words, for the list of commands */
	const char *synopsis; /* what follows "Usage: profil " */
	const char *sentence; /* one sentence or two on what it does */
	const char *see_also;
	const struct option_row *options; /* ends with a row without a name */
	enum value_kind operand;	  /* what the words after the options are */
	const char *operand_choices;	  /* for VALUE_CHOICE, "bash|zsh" */
	bool counts; /* and so may use what profil's file may lend (base/lent.h) */
	/* ARGV[0] is the command's name (or "profil"); returns the exit status of profil. */
	int (*run)(int argc, char **argv);
};

/* The table, ended by a row without a name; and profil's own options, which stand before any
 * command: each is another spelling of the command of the same name. */
extern const struct command commands[];
extern const struct option_row global_options[];

/* The command called NAME, or NULL. */
const struct command *command_find(const char *name);

/* Do what ARGV asks: ARGV[1] names a command, or else everything is "run"'s.
 * Returns the exit status. */
int command_dispatch(int argc, char **argv);

int command_run(int argc, char **argv);
int command_attach(int argc, char **argv);
int command_system(int argc, char **argv);
int command_list(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_report(int argc, char **argv);
int command_flame(int argc, char **argv);
int command_top(int argc, char **argv);
int command_tree(int argc, char **argv);
int command_annotate(int argc, char **argv);
int command_hist(int argc, char **argv);
int command_html(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_dos(int argc, char **argv);
int command_prohst(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_merge(int argc, char **argv);
int command_export(int argc, char **argv);
int command_gprof(int argc, char **argv);
int command_help(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_version(int argc, char **argv);

extern const struct option_row attach_options[];
extern const struct option_row list_options[];
extern const struct option_row doctor_options[];
extern const struct option_row system_options[];
extern const struct option_row export_options[];
extern const struct option_row gprof_options[];
extern const struct option_row run_options[];
extern const struct option_row measuring_options[]; /* behind those of "run" and others */
extern const struct option_row report_options[];
extern const struct option_row flame_options[];
extern const struct option_row top_options[];
extern const struct option_row tree_options[];
extern const struct option_row annotate_options[];
extern const struct option_row hist_options[];
extern const struct option_row html_options[];
extern const struct option_row serve_options[];
extern const struct option_row dos_options[];
extern const struct option_row prohst_options[];
extern const struct option_row diff_options[];
extern const struct option_row merge_options[];
extern const struct option_row plain_options[]; /* --help alone */

/* Say "profil: " and one sentence of the form "what: why: what to do" on stderr, on one line
 * whatever is in it.  Returns EXIT_PROFIL, so that a command can say "return cmd_fail(...)". */
int cmd_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for what a room below has returned: its sentence, or that of CODE (a negative errno)
 * where it has set none, as for -ENOMEM. */
int cmd_fail_error(int code, const struct error *error);

/* The same for a standard output that could not be written; ERROR is 0 where errno is not known.
 * A reader that has closed its end of the pipe (head, less) has what it wanted: not a word then. */
int cmd_fail_output(int error);

/* The exit status after a page was printed to standard output: R is what its printer returned,
 * ERROR errno as of then, of which -EIO tells. */
int cmd_printed(int r, int error);

/* The page of FILE on standard output, without code, as one that moves (view/html.h).  Returns the
 * exit status. */
int html_print_moving(const char *file);

/* The help of all of profil, or of one COMMAND. */
void help_print(FILE *out);
void help_print_command(FILE *out, const struct command *command);

/* The completions, as text for the shell to read. */
void completion_print_bash(FILE *out);
void completion_print_zsh(FILE *out);
