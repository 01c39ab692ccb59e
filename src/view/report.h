/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "profile/profile.h"

#include <stdio.h>

/* The profile that is written and read where no other is named. */
#define PROFILE_USUAL "profil.pb.gz"

/* The form of a page, of whichever view; not every view has all. */
enum report_form {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
	REPORT_MARKDOWN,
	REPORT_HTML, /* of a part of the page (view/html.h), never of a report */
};

struct report_style {
	enum report_form form;
	size_t rows;	  /* at most this many; 0: all */
	unsigned width;	  /* columns; 0: no limit */
	bool color;	  /* escape sequences and bars */
	bool true_color;  /* of 24 bits; else of the terminal's palette */
	bool utf8;	  /* the locale shows more than ASCII */
	const char *file; /* the profile's path for the closing hint, NULL: none */
};

/* What OUT can show: width from the terminal (COLUMNS first), colour when it is one and NO_COLOR
 * and TERM=dumb do not say otherwise, UTF-8 as the locale (LC_CTYPE) has it.  The form is text;
 * rows and file are the caller's to say. */
void report_style_detect(FILE *out, struct report_style *ret_style);

/* Print TABLE: the first line (whose time it was), the rows, the accounting identity.
 * Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the reason, or 0. */
int report_print(FILE *out, const struct profile *profile, const struct table *table,
		 const struct report_style *style);
