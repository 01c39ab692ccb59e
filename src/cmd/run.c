// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/measuring.h"

static int take_option(void *context, int key, const struct option_value *value)
{
	measuring_take(context, key, value);
	return 0;
}

int command_run(int argc, char **argv)
{
	struct measure_options options;
	int first;

	measuring_defaults(&options);
	first = options_read(command_find("run"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first == argc)
		return cmd_fail("no program: nothing to measure: see 'profil help run'");
	return measure_program(&options, argv + first);
}
