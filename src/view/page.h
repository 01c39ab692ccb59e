/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/section.h"

/* What is printed on a page knows nothing of lines that are too long for it. */

/* Call PRINT with CONTEXT and SECTION; of text with a copy of it, and what is written to the copy's
 * out is broken to the style's width.  Then all of out is written.  Returns 0, what PRINT fails
 * with, -ENOMEM, or -EIO when out could not be written; then errno has the reason, or 0. */
typedef int page_write(const struct section *section, const void *context);
int page_print(const struct section *section, page_write *print, const void *context);

/* What PRINT prints becomes *RET_TEXT, heap.  Returns 0, what PRINT fails with, or -ENOMEM. */
int page_text(const struct section *section, page_write *print, const void *context,
	      char **ret_text);

/* Returns 0, or -EIO when OUT could not be written; then errno has the reason, or 0. */
int page_flush(FILE *out);

/* Print TEXT, which ends with a line end, with its lines broken at blanks so that none takes more
 * than WIDTH columns, as far as the words are short enough.  What follows a break is set in by two
 * columns.  Escape sequences (of colours) take no column. */
void wrap_print(FILE *out, const char *text, size_t width, bool utf8);
