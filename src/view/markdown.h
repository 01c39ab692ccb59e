/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

/* Names in GitHub's Markdown (GFM 4.10). */

/* TEXT as code, whatever is in it, a table's "|" included: `TEXT`.  What is longer than 100
 * characters is cut in its middle.  Nothing for "". */
void markdown_print_code(FILE *out, const char *text);

/* The same for the NAME of a function, which is shortened as one (view/shorten.h). */
void markdown_print_function(FILE *out, const char *name);
