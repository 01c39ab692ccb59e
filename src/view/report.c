// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

#include "analysis/interval.h"
#include "view/layout.h"
#include "view/page.h"
#include "view/section.h"

#include <errno.h>

const char *section_ink(enum profile_class class)
{
	static const char *const inks[PROFILE_CLASSES] = {
		[CLASS_PROGRAM] = "\033[32m",	[CLASS_LIBRARIES] = "\033[36m",
		[CLASS_KERNEL] = "\033[31m",	[CLASS_VDSO] = "\033[34m",
		[CLASS_ANONYMOUS] = "\033[35m", [CLASS_UNRESOLVED] = "\033[33m",
		[CLASS_IDLE] = "\033[90m",	[CLASS_DOS] = "\033[31m",
		[CLASS_IO] = "\033[34m",	[CLASS_HIGH] = "\033[35m",
	};

	return class < PROFILE_CLASSES ? inks[class] : INK_NONE;
}

size_t section_rows(const struct section *section)
{
	size_t limit = section->style->rows, count = section->table->row_count;

	return limit && limit < count ? limit : count;
}

static int print_sections(const struct section *section, const void *context)
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
		r = page_print(&section, print_sections, NULL);
		break;
	case REPORT_JSON:
		json_print(&section);
		break;
	case REPORT_CSV:
		csv_print(&section);
		break;
	case REPORT_MARKDOWN:
		r = report_markdown(&section);
		break;
	}
	if (r < 0)
		return r;
	errno = 0;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return -EIO;
}
