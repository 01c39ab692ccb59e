/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/hist.h"
#include "view/section.h"

/* The parts of a histogram's view, each in a file of its own. */

struct hist_section {
	const struct section *section;
	const struct hist *hist;
	const struct hist_style *style;
};

int hist_rows_print(const struct hist_section *part);
int hist_strips_print(const struct hist_section *part);
int hist_json(const struct hist_section *part);
int hist_markdown(const struct hist_section *part);

/* The rows of one object, in the style's form; JSON is for that form alone, else NULL.  Returns 0
 * or -ENOMEM. */
int hist_object_rows(const struct hist_section *part, const struct hist_object *object,
		     struct json *json);

/* What a row is called: "main", "main+0x40", "main and 3 more", "3 more in 12 functions, 4.0 KiB".
 * Returns heap text, or NULL when memory is short. */
char *hist_row_name(const struct hist_row *row);

/* "1.2 MiB, 34 of 300 pages", and with ALL how hot they are and how many huge pages they would
 * take. Returns heap text, or NULL when memory is short. */
char *hist_object_text(const struct hist_object *object, bool all);
