// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/measuring.h"

#include <unistd.h>

const struct option_row system_options[] = {
	{'a', "all-cpus", NULL, "the whole machine, as always", "How long"},
	OPTION_FOR_ROW(NULL),
	{.more = measuring_options},
};

/* What all processes do is nobody's to see but root's.  A profil that carries file capabilities may
 * be anybody's, so it is not they that count. */
static int refuse_others(void)
{
	if (!getuid() && !geteuid())
		return 0;
	return cmd_fail(
		"system: user %u may not see what all others do, whatever profil's file may: "
		"run it as root",
		(unsigned)getuid());
}

int command_system(int argc, char **argv)
{
	struct measure_options options;
	int first, status;

	measuring_defaults(&options);
	options.engine.everyone = true;
	first = options_read(command_find("system"), argc, argv, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first < argc)
		return cmd_fail("system: '%s': neither an option nor a value of one: it measures "
				"whatever runs; 'profil run' runs a program",
				argv[first]);
	if (options.engine.clock == CLOCK_TASK)
		return cmd_fail("--clock task: a CPU that is idle has no task: leave it out");
	status = measuring_check(&options);
	if (!status)
		status = refuse_others();
	if (status)
		return status;
	return measure_machine(&options);
}
