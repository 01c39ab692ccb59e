// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

static void put(FILE *out, const char *text)
{
	(void)fwrite(text, 1, strlen(text), out);
}

/* A number, an escape or blanks: what is short. */
__attribute__((format(printf, 2, 3))) static void put_formatted(FILE *out, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(out, text);
}

/* The character of SIZE bytes at C, 0 for one that is not UTF-8, as it must not stand as it is. */
static void put_escaped(FILE *out, const char *c, size_t size)
{
	if (!size)
		put(out, "\\ufffd");
	else if (*c == '"' || *c == '\\')
		put_formatted(out, "\\%c", *c);
	else /* of two bytes, the second is the character's number */
		put_formatted(out, "\\u%04x", (unsigned char)c[size - 1]);
}

void json_print_string(FILE *out, const char *text)
{
	const char *plain = text;

	put(out, "\"");
	while (*text) {
		size_t size = utf8_size(text);
		bool is_plain = size && *text != '"' && *text != '\\' && !utf8_is_control(text);

		if (!is_plain) {
			(void)fwrite(plain, 1, (size_t)(text - plain), out);
			put_escaped(out, text, size);
		}
		text += size ? size : 1;
		plain = is_plain ? plain : text;
	}
	(void)fwrite(plain, 1, (size_t)(text - plain), out);
	put(out, "\"");
}

static void begin_line(struct json *json)
{
	put_formatted(json->out, "\n%*s", (int)(2 * json->indent), "");
}

/* What stands before a value. */
static void begin_value(struct json *json, const char *name)
{
	if (json->depth) {
		bool again = json->levels[json->depth - 1].has_any;

		json->levels[json->depth - 1].has_any = true;
		if (again)
			put(json->out, json->levels[json->depth - 1].is_lines ? "," : ", ");
		if (json->levels[json->depth - 1].is_lines)
			begin_line(json);
	}
	if (name) {
		put(json->out, "\"");
		put(json->out, name);
		put(json->out, "\": ");
	}
}

static void open_level(struct json *json, const char *name, const char *brackets, bool lines)
{
	begin_value(json, name);
	(void)fwrite(brackets, 1, 1, json->out);
	json->levels[json->depth].close = brackets[1];
	json->levels[json->depth].is_lines = lines;
	json->levels[json->depth++].has_any = false;
	json->indent += lines;
}

void json_open_object(struct json *json, const char *name, bool lines)
{
	open_level(json, name, "{}", lines);
}

void json_open_list(struct json *json, const char *name, bool lines)
{
	open_level(json, name, "[]", lines);
}

void json_close(struct json *json)
{
	json->depth--;
	json->indent -= json->levels[json->depth].is_lines;
	if (json->levels[json->depth].is_lines && json->levels[json->depth].has_any)
		begin_line(json);
	(void)fwrite(&json->levels[json->depth].close, 1, 1, json->out);
	if (!json->depth)
		put(json->out, "\n");
}

void json_add_string(struct json *json, const char *name, const char *text)
{
	begin_value(json, name);
	json_print_string(json->out, text);
}

void json_add_count(struct json *json, const char *name, uint64_t count)
{
	begin_value(json, name);
	put_formatted(json->out, "%" PRIu64, count);
}

void json_add_integer(struct json *json, const char *name, int64_t number)
{
	begin_value(json, name);
	put_formatted(json->out, "%" PRId64, number);
}

void json_add_real(struct json *json, const char *name, double number)
{
	begin_value(json, name);
	if (isfinite(number))
		put_formatted(json->out, "%.9g", number);
	else
		put(json->out, "null");
}

void json_add_bool(struct json *json, const char *name, bool value)
{
	begin_value(json, name);
	put(json->out, value ? "true" : "false");
}

void json_add_word(struct json *json, const char *name, const char *word)
{
	begin_value(json, name);
	put(json->out, word);
}
