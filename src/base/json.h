/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* TEXT as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.  Errors are OUT's,
 * ferror().  Signal-safe: no.  Thread-safe: on distinct OUT. */
void json_print_string(FILE *out, const char *text);

#define JSON_DEPTH 8

/* A JSON text as it is written: commas, lines and what is still open are the writer's business.
 * Only OUT is to be set.  The rest is as for json_print_string(). */
struct json {
	FILE *out;
	unsigned depth, indent;
	struct {
		char close;
		bool is_lines, has_any;
	} levels[JSON_DEPTH];
};

/* Begin an object or a list, the member NAME of an object, or with NAME NULL an element of a list
 * or the whole text.  In LINES each of its members has a line of its own; else they are on one. */
void json_open_object(struct json *json, const char *name, bool lines);
void json_open_list(struct json *json, const char *name, bool lines);

/* End what was opened last; the whole text ends in a line end. */
void json_close(struct json *json);

/* NAME, NULL in a list, is written as it is.  A number that is not finite is written as null. */
void json_add_string(struct json *json, const char *name, const char *text);
void json_add_count(struct json *json, const char *name, uint64_t count);
void json_add_integer(struct json *json, const char *name, int64_t number);
void json_add_real(struct json *json, const char *name, double number);
void json_add_bool(struct json *json, const char *name, bool value);

/* WORD is JSON already: "null". */
void json_add_word(struct json *json, const char *name, const char *word);
