// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/cross_check.h"
#include "cmd/foreign.h"
#include "cmd/whom.h"

#include "base/array.h"

struct run {
	struct whom whom;
	bool cross_check;
};

const struct option_row run_options[] = {
	{'p', "pid", "PID[,PID...]", "processes that run already, as attach does",
	 "Instead of a program", VALUE_TEXT, .take = whom_take_pids},
	OPTION_ALL_ROW(NULL, "the whole machine, as system does"),
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

static int measure(struct run *run, char **argv)
{
	const struct foreign_programs *foreign = *argv ? foreign_of(*argv) : NULL;
	struct whom *whom = &run->whom;

	if (whom_is_running(whom) || !*argv)
		return whom_measure(whom, "run", argv);
	if (measuring_check(&whom->options))
		return EXIT_PROFIL;
	if (whom->options.for_ns)
		return cmd_fail("--for: a program ends by itself: leave it out, or name what runs "
				"already with -p or -a");
	if (whom->options.engine.event && (foreign || run->cross_check))
		return cmd_fail("-e %s: %s of the CPU clock: leave it out",
				whom->options.event.name,
				foreign ? "profiles of DOS programs are"
					: "--cross-check compares profiles");
	if (foreign)
		return foreign->measure(&whom->options, argv);
	return run->cross_check ? cross_check(&whom->options, argv)
				: measure_program(&whom->options, argv);
}

int command_run(int argc, char **argv)
{
	struct run run = {0};
	int first, status = 0;

	measuring_defaults(&run.whom.options);
	first = options_read(command_find("run"), argc, argv, &run);
	if (first > 0)
		status = measure(&run, argv + first);
	whom_done(&run.whom);
	return first < 0 ? EXIT_PROFIL : status;
}
