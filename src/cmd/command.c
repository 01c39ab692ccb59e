// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/lent.h"
#include "cmd/guess.h"

#include <string.h>

const struct option_row plain_options[] = {
	{'h', "help", NULL, "print this help and exit", "Options"},
	{0},
};

const struct option_row global_options[] = {
	{'h', "help", NULL, "print this help and exit", "Options"},
	{'V', "version", NULL, "print the version and exit"},
	{0},
};

const struct command commands[] = {
	{
		.name = "run",
		.summary = "run a program and show where its CPU time went",
		.synopsis = "[run] [OPTION...] [--] PROGRAM [ARG...]",
		.sentence =
			"Run PROGRAM, sample it and all its children, write the profile, and show "
			"its report.",
		.see_also = "profil(1), 'profil help report'",
		.options = run_options,
		.operand = VALUE_PROGRAM,
		.counts = true,
		.run = command_run,
	},
	{
		.name = "record",
		.summary = "the same as run, by perf's name for it",
		.synopsis = "record [OPTION...] [--] PROGRAM [ARG...]",
		.sentence = "The same as 'profil run'.",
		.see_also = "profil(1), 'profil help run'",
		.options = run_options,
		.operand = VALUE_PROGRAM,
		.counts = true,
		.run = command_run,
	},
	{
		.name = "attach",
		.summary = "measure processes that run already",
		.synopsis = "attach [OPTION...] -p PID[,PID...] | --comm NAME",
		.sentence = "Measure processes that run already, with all their threads and the "
			    "children they will\nhave, until they end, --for TIME is over, or "
			    "Ctrl-C; they go on untouched.",
		.see_also = "profil-attach(1), profil(1)",
		.options = attach_options,
		.counts = true,
		.run = command_attach,
	},
	{
		.name = "system",
		.summary = "measure the whole machine, idle CPUs included",
		.synopsis = "system [OPTION...]",
		.sentence = "Measure all that runs on all CPUs, and what is idle, until --for TIME "
			    "is over or Ctrl-C.\nFor root.",
		.see_also = "profil-system(1), profil(1)",
		.options = system_options,
		.run = command_system,
	},
	{
		.name = "top",
		.summary = "show what takes the time while it runs",
		.synopsis = "top [OPTION...] -p PID[,PID...] | -a | [--] PROGRAM [ARG...]",
		.sentence = "Measure PROGRAM, processes that run already or the whole machine, and "
			    "show on the\n"
			    "terminal where the time goes: functions, call tree, threads and more, "
			    "each second anew.",
		.see_also = "profil-top(1), 'profil help run'",
		.options = top_options,
		.operand = VALUE_PROGRAM,
		.counts = true,
		.run = command_top,
	},
	{
		.name = "report",
		.summary = "show a profile as a table",
		.synopsis = "report [OPTION...] [FILE]",
		.sentence = "Show the profile in FILE (profil.pb.gz), profil's own, pprof's or "
			    "another's, as a\ntable.",
		.see_also = "profil-report(1), 'profil help run'",
		.options = report_options,
		.operand = VALUE_FILE,
		.run = command_report,
	},
	{
		.name = "tree",
		.summary = "show who called whom, with the time below each call",
		.synopsis = "tree [OPTION...] [FILE]",
		.sentence = "Show the call stacks of the profile in FILE (profil.pb.gz) as a tree: "
			    "each function\nbelow its caller, with its samples and all below it.",
		.see_also = "profil-tree(1), 'profil help report'",
		.options = tree_options,
		.operand = VALUE_FILE,
		.run = command_tree,
	},
	{
		.name = "flame",
		.summary = "draw the call stacks of a profile as a flame graph",
		.synopsis = "flame [OPTION...] [-o OUT] [FILE]",
		.sentence = "Draw the call stacks of the profile in FILE (profil.pb.gz) as a flame "
			    "graph: each\nfunction a box as wide as its samples with all below it. "
			    "In a browser, click to zoom.",
		.see_also = "profil-flame(1), 'profil help tree'",
		.options = flame_options,
		.operand = VALUE_FILE,
		.run = command_flame,
	},
	{
		.name = "annotate",
		.summary = "show a function's instructions and source lines with their samples",
		.synopsis = "annotate [OPTION...] [FILE] [FUNCTION|OBJECT|SOURCE:LINE]",
		.sentence =
			"Show the instructions and source lines of a function with their "
			"samples: the hottest one\nof the profile in FILE (profil.pb.gz), or of "
			"those that the last word asks for.",
		.see_also = "profil-annotate(1), 'profil help report'",
		.options = annotate_options,
		.operand = VALUE_FILE,
		.run = command_annotate,
	},
	{
		.name = "hist",
		.summary = "draw a profile from low to high addresses",
		.synopsis = "hist [OPTION...] [FILE]",
		.sentence = "Draw the profile in FILE (profil.pb.gz): the text of each object from "
			    "low to high\naddresses, one row per bucket.",
		.see_also = "profil-hist(1), 'profil help annotate'",
		.options = hist_options,
		.operand = VALUE_FILE,
		.run = command_hist,
	},
	{
		.name = "html",
		.summary = "put all views of a profile on one page for a browser",
		.synopsis = "html [OPTION...] [-o OUT] [FILE]",
		.sentence =
			"Put the profile in FILE (profil.pb.gz) on one page of HTML: its table, "
			"its histogram\nand the code of the hottest functions. The page fetches "
			"nothing.",
		.see_also = "profil-html(1), 'profil help report'",
		.options = html_options,
		.operand = VALUE_FILE,
		.run = command_html,
	},
	{
		.name = "serve",
		.summary = "show profiles in a browser, from a server on this machine",
		.synopsis = "serve [OPTION...] [-p PID[,PID...] | -a | FILE... | DIR]\n"
			    "       profil serve [OPTION...] -d DIR [-p PID[,PID...] | -a]",
		.sentence = "Serve the page of each FILE (profil.pb.gz), or of all profiles in DIR "
			    "as a list of which\nany two can be compared; or of what -p or -a "
			    "measures, while it does.\nWith -d, keep a profile of each minute, "
			    "and later of each hour and day.",
		.see_also = "profil-serve(1), 'profil help html'",
		.options = serve_options,
		.operand = VALUE_FILES,
		.counts = true,
		.run = command_serve,
	},
	{
		.name = "diff",
		.summary = "say what changed between two profiles, or two sets of runs",
		.synopsis =
			"diff [OPTION...] OLD NEW\n       profil diff [OPTION...] OLD... -- NEW...",
		.sentence = "Compare profiles function by function, and say which changes are more "
			    "than chance.\nSeveral files on a side are runs of one program.",
		.see_also = "profil-diff(1), 'profil help merge'",
		.options = diff_options,
		.operand = VALUE_FILES,
		.run = command_diff,
	},
	{
		.name = "merge",
		.summary = "add profiles up, exactly",
		.synopsis = "merge [OPTION...] FILE... -o OUT",
		.sentence = "Write the exact sum of the profiles in each FILE to OUT: the same "
			    "bytes in any order\nand any grouping.",
		.see_also = "profil-merge(1), 'profil help report'",
		.options = merge_options,
		.operand = VALUE_FILES,
		.run = command_merge,
	},
	{
		.name = "export",
		.summary = "write a profile for another program",
		.synopsis = "export --to FORMAT [-o OUT] [FILE]",
		.sentence =
			"Write the profile in FILE (profil.pb.gz), of any format that profil "
			"reads, in the\nFORMAT of another program: pprof, folded, callgrind, "
			"speedscope, firefox,\nperf-script, llvm, llvm-contexts, bolt, autofdo, "
			"gmon,\ngmon-4.4bsd, gmon-bsd, mon or prf.",
		.see_also = "profil-export(1), 'profil help report'",
		.options = export_options,
		.operand = VALUE_FILE,
		.run = command_export,
	},
	{
		.name = "gprof",
		.summary = "show who called whom, as gprof does",
		.synopsis = "gprof [OPTION...] [PROGRAM] [FILE...]",
		.sentence =
			"Show the flat profile and the call graph of PROGRAM, of the sum of each\n"
			"FILE (gmon.out). The files of a library follow its name. Without PROGRAM\n"
			"each FILE (profil.pb.gz) names its program itself.",
		.see_also = "profil-gprof(1), libprofil-gmon(3), 'profil help report'",
		.options = gprof_options,
		.operand = VALUE_FILES,
		.run = command_gprof,
	},
	{
		.name = "dos",
		.summary = "run a DOS program in DOSBox and show where its time went",
		.synopsis = "dos [OPTION...] [--] PROGRAM [ARG...]",
		.sentence = "Run the DOS program PROGRAM, an .EXE or .COM, in DOSBox, sample it "
			    "with PROFIL,\nwrite the profile, and show its report.",
		.see_also = "profil-dos(1), 'profil help prohst'",
		.options = dos_options,
		.operand = VALUE_DOS_PROGRAM,
		.run = command_dos,
	},
	{
		.name = "prohst",
		.summary = "list the profile that MS-DOS's PROFIL took, as PROHST does",
		.synopsis = "prohst [--original] FILE.PRF [FILE.HST [FILE.MAP]]",
		.sentence =
			"List FILE.PRF in FILE.HST (- is standard output), with the modules and "
			"line numbers\nof FILE.MAP.",
		.see_also = "profil-prohst(1), profil-dos(1)",
		.options = prohst_options,
		.operand = VALUE_FILE,
		.run = command_prohst,
	},
	{
		.name = "list",
		.summary = "list the events that samples can be taken of",
		.synopsis = "list [--json] [WORD]",
		.sentence = "List the events that -e takes here, or those that have WORD in their "
			    "names.",
		.see_also = "profil-list(1), profil(1)",
		.options = list_options,
		.operand = VALUE_TEXT,
		.run = command_list,
	},
	{
		.name = "doctor",
		.summary = "say what works on this machine, and what would",
		.synopsis = "doctor [--json]",
		.sentence = "Look at everything that counting needs here, and say what works, what "
			    "does not and\nwhat to do about it.",
		.see_also = "profil-doctor(1), profil(1)",
		.options = doctor_options,
		.counts = true,
		.run = command_doctor,
	},
	{
		.name = "help",
		.summary = "say what profil or one of its commands does",
		.synopsis = "help [COMMAND]",
		.sentence = "Say what profil, or COMMAND, does and which options it has.",
		.see_also = "profil(1)",
		.options = plain_options,
		.operand = VALUE_COMMAND,
		.run = command_help,
	},
	{
		.name = "completion",
		.summary = "print the completion of a shell",
		.synopsis = "completion bash|zsh",
		.sentence = "Print what makes a shell complete profil's words; an installed profil "
			    "has it in place.",
		.see_also = "profil(1)",
		.options = plain_options,
		.operand = VALUE_CHOICE,
		.operand_choices = "bash|zsh",
		.run = command_completion,
	},
	{
		.name = "version",
		.summary = "print the version",
		.synopsis = "version",
		.sentence = "Print the version of profil.",
		.see_also = "profil(1)",
		.options = plain_options,
		.run = command_version,
	},
	{0},
};

const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}

/* "--version" and "-V" are the command "version". */
static const struct command *find_global(const char *word)
{
	if (word[0] != '-')
		return NULL;
	OPTIONS_EACH(row, global_options)
	{
		const char letter[] = {row->letter, '\0'};

		if (!strcmp(word + 1, letter) || (word[1] == '-' && !strcmp(word + 2, row->name)))
			return command_find(row->name);
	}
	return NULL;
}

int command_dispatch(int argc, char **argv)
{
	const struct command *command;
	int status;

	if (argc < 2) {
		help_print(stdout);
		return 0;
	}
	command = find_global(argv[1]);
	if (!command)
		command = command_find(argv[1]);
	if (!command) {
		status = guess_command(argv[1]);
		return status ? status : command_run(argc, argv);
	}
	if (!command->counts && lent_keep(0))
		return cmd_fail(
			"capabilities: they cannot be given up: see 'getcap' of profil's file");
	return command->run(argc - 1, argv + 1);
}
