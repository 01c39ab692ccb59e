/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/compare.h"
#include "view/section.h"

/* What the parts of a comparison share. */
struct comparison {
	FILE *out;
	const struct diff *diff;
	const struct compare_style *style;
	const struct marks *marks;
	/* How a value is written: this many times it, and the unit behind. */
	double factor;
	const char *unit;
	int decimals;
	const char *value; /* what is compared instead of samples; NULL */
	bool is_time;	   /* that is in nanoseconds */
};

/* DIFF as STYLE has it, to OUT. */
struct comparison comparison_of(FILE *out, const struct diff *diff,
				const struct compare_style *style);

/* Lines above and below the rows: what is compared, how many changed, how to read them; and the
 * second of those alone. */
void comparison_print_head(const struct comparison *comparison);
void comparison_print_significance(const struct comparison *comparison);
void comparison_print_foot(const struct comparison *comparison);

/* How many rows are shown. */
size_t comparison_rows(const struct comparison *comparison);

/* A value with its unit; a change with its sign, without. */
struct text_number comparison_value(const struct comparison *comparison, double value);
struct text_number comparison_change(const struct comparison *comparison, double change);

/* Whether it is known what chance does: of a value, only by repeats. */
bool comparison_has_intervals(const struct comparison *comparison);

/* What a side's whole numbers are, in files: "samples". */
const char *comparison_unit(const struct comparison *comparison);

/* "+10.3 %" of BEFORE; "" where there was nothing before. */
struct text_number comparison_relative(double before, double change);

/* "0.012", "<0.001". */
struct text_number comparison_probability(double probability);

/* Its frames as a flame graph of a page, WIDTH pixels wide; what is narrower than NARROW is added
 * up.  Returns 0 or -ENOMEM. */
int comparison_flame(const struct comparison *comparison, uint32_t width, double narrow);

/* The table, in the style's form; JSON is for that form alone, else NULL.  Returns 0 or -ENOMEM. */
int compare_rows_print(const struct comparison *comparison, struct json *json);
