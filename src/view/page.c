// SPDX-License-Identifier: BSD-2-Clause
#include "view/page.h"

#include "view/wrap.h"

#include <errno.h>
#include <stdlib.h>

static int print_wrapped(const struct section *section, page_write *print, const void *context)
{
	struct section aside = *section;
	char *text = NULL;
	size_t size;
	int ret;

	aside.out = open_memstream(&text, &size);
	if (!aside.out)
		return -ENOMEM;
	ret = print(&aside, context);
	if ((fclose(aside.out) != 0 || !text) && ret >= 0)
		ret = -ENOMEM;
	if (ret >= 0)
		wrap_print(section->out, text, section->style->width, section->style->utf8);
	free(text);
	return ret;
}

int page_flush(FILE *out)
{
	errno = 0;
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int page_print(const struct section *section, page_write *print, const void *context)
{
	bool wraps = section->style->form == REPORT_TEXT && section->style->width;
	int ret = wraps ? print_wrapped(section, print, context) : print(section, context);

	return ret < 0 ? ret : page_flush(section->out);
}
