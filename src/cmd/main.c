// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* What was printed must have arrived before profil says that all is well.  A reader that has
 * closed its end of the pipe (head, less) has what it wanted: no words about that. */
static int finish(int status)
{
	errno = 0;
	if (!ferror(stdout) && fflush(stdout) == 0)
		return status;
	if (errno != EPIPE)
		(void)cmd_fail("standard output: %s: see that it can be written",
			       errno ? strerror(errno) : "a write failed");
	return EXIT_PROFIL;
}

int main(int argc, char **argv)
{
	/* Only how bytes are characters: numbers keep their point, messages their language. */
	(void)setlocale(LC_CTYPE, "");
	return finish(command_dispatch(argc, argv));
}
