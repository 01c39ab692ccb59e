// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

#include "analysis/interval.h"
#include "view/layout.h"
#include "view/section.h"
#include "view/wrap.h"

#include <errno.h>
#include <stdlib.h>

const char *section_ink(enum profile_class class)
{
	static const char *const inks[PROFILE_CLASSES] = {
		[CLASS_PROGRAM] = "\033[32m",	[CLASS_LIBRARIES] = "\033[36m",
		[CLASS_KERNEL] = "\033[31m",	[CLASS_VDSO] = "\033[34m",
		[CLASS_ANONYMOUS] = "\033[35m", [CLASS_UNRESOLVED] = "\033[33m",
		[CLASS_DOS] = "\033[31m",	[CLASS_IO] = "\033[34m",
		[CLASS_HIGH] = "\033[35m",
	};

	return class < PROFILE_CLASSES ? inks[class] : INK_NONE;
}

size_t section_rows(const struct section *section)
{
	size_t limit = section->style->rows, count = section->table->row_count;

	return limit && limit < count ? limit : count;
}

static int print_sections(const struct section *section)
{
	int r;

	r = head_print(section);
	if (r >= 0)
		r = rows_print(section);
	if (r < 0)
		return r;
	account_print(section);
	return notes_print(section);
}

/* Sections know nothing of lines that are too long for the page: they are written aside first. */
static int print_on_page(const struct section *section)
{
	struct section aside = *section;
	char *text = NULL;
	size_t size;
	int r;

	aside.out = open_memstream(&text, &size);
	if (!aside.out)
		return -ENOMEM;
	r = print_sections(&aside);
	if ((fclose(aside.out) != 0 || !text) && r >= 0)
		r = -ENOMEM;
	if (r >= 0)
		wrap_print(section->out, text, section->style->width, section->style->utf8);
	free(text);
	return r;
}

static int print_text(const struct section *section)
{
	return section->style->width ? print_on_page(section) : print_sections(section);
}

int report_print(FILE *out, const struct profile *profile, const struct table *table,
		 const struct report_style *style)
{
	struct section section = {
		.out = out,
		.profile = profile,
		.table = table,
		.style = style,
		.marks = text_marks(style->utf8),
		.ranks = table->total >= EVIDENCE_FLOOR,
	};
	int r = 0;

	profile_account(profile, &section.account);
	switch (style->form) {
	case REPORT_TEXT:
		r = print_text(&section);
		break;
	case REPORT_JSON:
		json_print(&section);
		break;
	case REPORT_CSV:
		csv_print(&section);
		break;
	}
	if (r < 0)
		return r;
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return -EIO;
}
