// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

int command_version(int argc, char **argv)
{
	int first = options_read(command_find("version"), argc, argv, NULL);

	if (first < 0)
		return EXIT_PROFIL;
	if (first == 0)
		return 0;
	if (first < argc)
		return cmd_fail("version: '%s' is one word too many: give none", argv[first]);
	(void)puts("profil " PROFIL_VERSION);
	return 0;
}
