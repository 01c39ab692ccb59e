// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/whom.h"

const struct option_row attach_options[] = {
	OPTION_PID_ROW("Whom"),
	OPTION_COMM_ROW,
	OPTION_FOR_ROW(NULL),
	{.more = measuring_options},
};

static int run(struct whom *whom, int argc, char **argv)
{
	int first = options_read(command_find("attach"), argc, argv, whom);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first < argc)
		return cmd_fail(
			"attach: '%s': neither an option nor a value of one: name processes "
			"with -p or --comm",
			argv[first]);
	return whom_measure_processes(whom, "attach");
}

int command_attach(int argc, char **argv)
{
	struct whom whom = {};
	int status;

	measuring_defaults(&whom.options);
	status = run(&whom, argc, argv);
	whom_done(&whom);
	return status;
}
