// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/lent.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>

/* What was printed must have arrived before profil says that all is well. */
static int finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	return cmd_fail_output(errno);
}

int main(int argc, char **argv)
{
	struct error why;
	int ret = lent_begin(&why);

	if (ret)
		return cmd_fail_error(ret, &why);
	/* Only how bytes are characters: numbers keep their point, messages their language. */
	(void)setlocale(LC_CTYPE, "");
	return finish(command_dispatch(argc, argv));
}
