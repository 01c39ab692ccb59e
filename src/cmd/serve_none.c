// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

/* Stands in for the server in a build without libmicrohttpd. */

const struct option_row serve_options[] = {
	{'h', "help", NULL, "print this help and exit", "Options"},
	{0},
};

int command_serve(int argc, char **argv)
{
	return cmd_fail("serve: this profil was built without libmicrohttpd, which it serves with: "
			"see 'profil help html' for a page in a file");
}
