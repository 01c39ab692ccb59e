// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/cross_check.h"
#include "cmd/foreign.h"
#include "cmd/measuring.h"

#include "base/array.h"
#include "base/lent.h"

struct run {
	struct measure_options options;
	bool cross_check, system;
	const char *pids;
};

const struct option_row run_options[] = {
	{'p', "pid", "PID[,PID...]", "processes that run already, as attach does",
	 "Instead of a program", VALUE_TEXT, INTO(struct run, pids)},
	{'a', "all-cpus", NULL, "the whole machine, as system does",
	 SETS(struct run, system, true)},
	OPTION_FOR_ROW(NULL),

	{0, "cross-check", NULL, "run it twice, by two engines, and compare them", "Check",
	 SETS(struct run, cross_check, true)},
	{.more = measuring_options},
};

static const struct foreign_programs *foreign_of(const char *path)
{
	static const struct foreign_programs *const all[] = {&dos_programs};

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		if (all[i]->include(path))
			return all[i];
	return NULL;
}

/* What runs already is another command's, which reads the same words once more. */
static int run_other(const struct run *run, int argc, char **argv, const char *program)
{
	const char *option = run->pids ? "-p" : "-a";

	if (run->pids && run->system)
		return cmd_fail("-p and -a: some processes, or the whole machine: leave one out");
	if (program)
		return cmd_fail("%s: '%s' beside it: it measures what runs already: leave one out; "
				"--for says how long",
				option, program);
	if (run->system && lent_keep(0))
		return cmd_fail(
			"capabilities: they cannot be given up: see 'getcap' of profil's file");
	return run->pids ? command_attach(argc, argv) : command_system(argc, argv);
}

int command_run(int argc, char **argv)
{
	const struct foreign_programs *foreign;
	struct run run = {0};
	int first;

	measuring_defaults(&run.options);
	first = options_read(command_find("run"), argc, argv, &run);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (run.pids || run.system)
		return run_other(&run, argc, argv, argv[first]);
	if (measuring_check(&run.options))
		return EXIT_PROFIL;
	if (run.options.for_ns)
		return cmd_fail("--for: a program ends by itself: leave it out, or name what runs "
				"already with -p or -a");
	if (first == argc)
		return cmd_fail("no program: nothing to measure: see 'profil help run'");
	foreign = foreign_of(argv[first]);
	if (foreign)
		return foreign->measure(&run.options, argv + first);
	return run.cross_check ? cross_check(&run.options, argv + first)
			       : measure_program(&run.options, argv + first);
}
