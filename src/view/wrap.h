/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Print TEXT, which ends with a line end, with its lines broken at blanks so that none takes more
 * than WIDTH columns, as far as the words are short enough.  What follows a break is set in by two
 * columns.  Escape sequences (of colours) take no column. */
void wrap_print(FILE *out, const char *text, size_t width, bool utf8);
