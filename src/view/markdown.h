/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Tables as GitHub's Markdown has them (GFM 4.10), for review comments. */

/* TEXT as code, whatever is in it, a table's "|" included: `TEXT`.  What is longer than 100
 * characters is cut in its middle.  Nothing for "". */
void markdown_print_code(FILE *out, const char *text);

/* The same for the NAME of a function, which is shortened as one (view/shorten.h). */
void markdown_print_function(FILE *out, const char *name);

/* The cells "| share | interval | ticks |" of TICKS out of TOTAL, without the last "|"; where TOTAL
 * is too small for shares (EVIDENCE_FLOOR), the ticks alone. */
void markdown_print_ticks(FILE *out, uint64_t ticks, uint64_t total);

/* The titles of these cells and of those that TITLES has ("address | instruction"), COUNT of them,
 * and the line below. */
void markdown_print_titles(FILE *out, uint64_t total, const char *titles, int count);
