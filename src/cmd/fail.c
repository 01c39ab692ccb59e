// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "view/text.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cmd_fail(const char *format, ...)
{
	char line[4096];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	/* A file name may hold a newline or an escape sequence; a message is one plain line. */
	text_clean(line);
	(void)fprintf(stderr, "profil: %s\n", line);
	return EXIT_PROFIL;
}

int cmd_fail_error(int code, const struct error *error)
{
	return cmd_fail("%s", *error->text ? error->text : strerror(-code));
}

static bool reader_is_gone(void)
{
	struct pollfd standard_output = {.fd = STDOUT_FILENO};

	return poll(&standard_output, 1, 0) == 1 && (standard_output.revents & POLLERR);
}

int cmd_fail_output(int error)
{
	clearerr(stdout);
	if (error == EPIPE || reader_is_gone())
		return EXIT_PROFIL;
	return cmd_fail("standard output: %s: see that it can be written",
			error ? strerror(error) : "a write failed");
}

int cmd_printed(int ret, int error)
{
	if (ret == -EIO)
		return cmd_fail_output(error);
	return ret < 0 ? cmd_fail_error(ret, &(struct error){""}) : 0;
}
