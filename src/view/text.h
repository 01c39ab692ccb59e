/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Words, numbers and marks as eyes read them. */

/* What a terminal that shows UTF-8 gets, and what any other gets instead. */
struct marks {
	const char *dot;      /* between the parts of a line */
	const char *to;	      /* between the ends of an interval */
	const char *times;    /* a product */
	const char *ellipsis; /* where something was cut out; one column wide */
	const char *bar[9];   /* a bar's last column, filled by 0 to 8 eighths */
	const char *maybe;    /* a bar's column that may be filled, or not */
	const char *fork;     /* a tree: a branch begins, and more come; */
	const char *last;     /* the last one does; */
	const char *line;     /* beside what is in a branch, down to the next one */
};
const struct marks *text_marks(bool utf8);

/* The bytes of the character at TEXT, 0 at its end. */
size_t text_character(const char *text, bool utf8);

/* How many columns TEXT takes: one for each character, two for a wide one. */
size_t text_width(const char *text, bool utf8);

/* TEXT cut in its middle to at most WIDTH columns (both ends of a name tell it from others).
 * Returns heap text, or NULL when memory is short. */
char *text_cut(const char *text, size_t width, bool utf8);

/* Turn the bytes of control characters into '?', so that a name can neither break a line nor drive
 * the terminal. */
void text_clean(char *text);
void text_print(FILE *out, const char *text);

/* The same as text_clean(), and what is not UTF-8 too, for readers that take nothing else. */
void text_clean_utf8(char *text);

/* Print TEXT to OUT, cut in its middle to at most WIDTH characters, each by PUT: its SIZE bytes, or
 * "?" for a control character and for what is not UTF-8. */
typedef void text_put(FILE *out, const char *character, size_t size);
void text_print_each(FILE *out, const char *text, size_t width, text_put *put);

/* A number with its thousands apart: "3,410". */
struct text_number {
	char text[32];
};
struct text_number text_count(uint64_t count);

/* So many bytes: "1.2 MiB". */
struct text_number text_size(uint64_t bytes);

/* A time of NS nanoseconds: "13.91 s", "2.3 ms", "41 us". */
struct text_number text_time(uint64_t ns);

/* TIME_NS since 1970: "2026-11-28 16:34 UTC", with its seconds or without; "" for 0. */
struct text_number text_date(int64_t time_ns, bool with_seconds);

/* A share between 0 and 1: "61.2 %", and "<0.1 %" for one that would round to nothing. */
struct text_number text_share(double share);

/* So many of WHAT: "1 sample", "3,410 samples". */
struct text_amount {
	char text[64];
};
struct text_amount text_many(uint64_t count, const char *what);

/* "s" unless COUNT is 1: "1 sample", "2 samples". */
const char *text_plural(uint64_t count);
