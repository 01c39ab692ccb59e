// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

#include "base/parse.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_MIN 40
#define WIDTH_MAX 1000
#define WIDTH_USUAL 80

static const char *environment(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

static unsigned terminal_width(int fd)
{
	struct winsize size;
	uint64_t width;

	if (!parse_count(environment("COLUMNS"), WIDTH_MIN, WIDTH_MAX, &width))
		return (unsigned)width;
	if (ioctl(fd, TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return WIDTH_USUAL;
	return size.ws_col < WIDTH_MIN ? WIDTH_MIN : size.ws_col;
}

void report_style_detect(FILE *out, struct report_style *ret_style)
{
	const char *terminal = environment("TERM");
	int fd = fileno(out);

	*ret_style = (struct report_style){.utf8 = !strcasecmp(nl_langinfo(CODESET), "UTF-8")};
	if (fd < 0 || !isatty(fd))
		return;
	ret_style->width = terminal_width(fd);
	ret_style->color = !*environment("NO_COLOR") && *terminal && strcmp(terminal, "dumb") != 0;
	ret_style->true_color = !strcmp(environment("COLORTERM"), "truecolor") ||
				!strcmp(environment("COLORTERM"), "24bit");
}
