// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/whom.h"

const struct option_row system_options[] = {
	OPTION_ALL_ROW("How long", "the whole machine, as always"),
	OPTION_FOR_ROW(NULL),
	{.more = measuring_options},
};

int command_system(int argc, char **argv)
{
	struct whom whom = {};
	int first;

	measuring_defaults(&whom.options);
	whom.options.engine.everyone = true;
	first = options_read(command_find("system"), argc, argv, &whom);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first < argc)
		return cmd_fail("system: '%s': neither an option nor a value of one: it measures "
				"whatever runs; 'profil run' runs a program",
				argv[first]);
	return whom_measure_machine(&whom, "system");
}
