// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include <string.h>

int command_completion(int argc, char **argv)
{
	const struct command *command = command_find("completion");
	int first = options_read(command, argc, argv, NULL);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (argc - first != 1)
		return cmd_fail("completion: which shell: name one, bash or zsh");
	if (!strcmp(argv[first], "bash"))
		completion_print_bash(stdout);
	else if (!strcmp(argv[first], "zsh"))
		completion_print_zsh(stdout);
	else
		return cmd_fail("completion '%s': not a shell it is made for: give bash or zsh",
				argv[first]);
	return 0;
}
