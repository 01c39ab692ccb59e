// SPDX-License-Identifier: BSD-2-Clause
#include "view/text.h"

#include "base/array.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct marks utf8_marks = {
	.dot = "·",
	.to = "–",
	.times = "×",
	.ellipsis = "…",
	.bar = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"},
	.maybe = "░",
	.fork = "├",
	.last = "└",
	.line = "│",
};

static const struct marks ascii_marks = {
	.dot = "-",
	.to = "-",
	.times = "x",
	.ellipsis = "~",
	.bar = {"", "", "", "", "#", "#", "#", "#", "#"},
	.maybe = ".",
	.fork = "+",
	.last = "+",
	.line = "|",
};

const struct marks *text_marks(bool utf8)
{
	return utf8 ? &utf8_marks : &ascii_marks;
}

/* Every byte of a character but its first is 10xxxxxx. */
size_t text_character(const char *text, bool utf8)
{
	size_t size = *text != '\0';

	while (utf8 && size && ((unsigned char)text[size] & 0xc0) == 0x80)
		size++;
	return size;
}

/* East Asian characters and pictures take two columns (UAX #11), whatever the locale knows of them.
 */
static size_t columns_of(const char *text, bool utf8)
{
	static const char *const wide[][2] = {
		{"\u1100", "\u115f"},	      {"\u2e80", "\u303e"},
		{"\u3041", "\ua4cf"},	      {"\ua960", "\ua97f"},
		{"\uac00", "\ud7a3"},	      {"\uf900", "\ufaff"},
		{"\ufe30", "\ufe6f"},	      {"\uff01", "\uff60"},
		{"\uffe0", "\uffe6"},	      {"\U0001f300", "\U0001f64f"},
		{"\U0001f900", "\U0001f9ff"}, {"\U00020000", "\U0003fffd"},
	};

	/* The order of UTF-8 is that of its characters. */
	for (size_t i = 0; utf8 && (unsigned char)*text >= 0xe1 && i < ARRAY_LENGTH(wide); i++)
		if (strncmp(text, wide[i][0], strlen(wide[i][0])) >= 0 &&
		    strncmp(text, wide[i][1], strlen(wide[i][1])) <= 0)
			return 2;
	return 1;
}

size_t text_width(const char *text, bool utf8)
{
	size_t width = 0;

	for (; *text; text += text_character(text, utf8))
		width += columns_of(text, utf8);
	return width;
}

/* What of TEXT takes COLUMNS at most; with BEYOND, at least. */
static const char *skip(const char *text, size_t columns, bool utf8, bool beyond)
{
	for (size_t used = 0; *text && used < columns; text += text_character(text, utf8)) {
		used += columns_of(text, utf8);
		if (used > columns && !beyond)
			break;
	}
	return text;
}

char *text_cut(const char *text, size_t width, bool utf8)
{
	size_t has = text_width(text, utf8), head, tail;
	char *cut;
	int ret;

	if (has <= width)
		return strdup(text);
	if (!width)
		return strdup("");
	tail = (width - 1) / 2;
	head = width - 1 - tail;
	ret = asprintf(&cut, "%.*s%s%s", (int)(skip(text, head, utf8, false) - text), text,
		       text_marks(utf8)->ellipsis, skip(text, has - tail, utf8, true));
	return ret < 0 ? NULL : cut;
}

/* The bytes at TEXT that stand for one character, be it a valid one or not. */
static size_t step(const char *text)
{
	size_t size = utf8_size(text);

	return size ? size : 1;
}

void text_clean(char *text)
{
	for (size_t size; *text; text += size) {
		size = step(text);
		if (utf8_is_control(text))
			memset(text, '?', size);
	}
}

void text_print(FILE *out, const char *text)
{
	for (size_t size; *text; text += size) {
		size = step(text);
		(void)fprintf(out, "%.*s", (int)size, utf8_is_control(text) ? "??" : text);
	}
}

void text_clean_utf8(char *text)
{
	size_t size;

	for (; *text; text += size) {
		size = step(text);
		/* U+FFFE and U+FFFF are no characters, and XML refuses them. */
		if (!utf8_size(text) || utf8_is_control(text) ||
		    !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3))
			memset(text, '?', size);
	}
}

void text_print_each(FILE *out, const char *text, size_t width, text_put *put)
{
	static const char ellipsis[] = "…";
	size_t has = 0, tail = width ? (width - 1) / 2 : 0;

	for (const char *next = text; *next; next += step(next))
		has++;
	for (size_t i = 0; *text; i++, text += step(text)) {
		bool odd = !utf8_size(text) || utf8_is_control(text);

		if (has <= width || i + tail + 1 < width || i >= has - tail)
			put(out, odd ? "?" : text, odd ? 1 : step(text));
		else if (i + tail + 1 == width)
			put(out, ellipsis, sizeof(ellipsis) - 1);
	}
}

struct text_number text_count(uint64_t count)
{
	struct text_number number;
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *to = number.text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return number;
}

struct text_amount text_many(uint64_t count, const char *what)
{
	struct text_amount amount;

	(void)snprintf(amount.text, sizeof(amount.text), "%s %.24s%s", text_count(count).text, what,
		       text_plural(count));
	return amount;
}

struct text_number text_size(uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB"};
	struct text_number number;
	double size = (double)bytes;
	size_t unit = 0;

	while (size >= 1024 && unit < 3) {
		size /= 1024;
		unit++;
	}
	(void)snprintf(number.text, sizeof(number.text), "%.*f %s", unit ? 1 : 0, size,
		       bytes == 1 ? "byte" : units[unit]);
	return number;
}

struct text_number text_time(uint64_t ns)
{
	struct text_number number;
	double us = (double)ns / 1e3;

	if (us >= 999950)
		(void)snprintf(number.text, sizeof(number.text), "%.2f s", us / 1e6);
	else if (us >= 999.5)
		(void)snprintf(number.text, sizeof(number.text), "%.1f ms", us / 1e3);
	else
		(void)snprintf(number.text, sizeof(number.text), "%.0f us", us);
	return number;
}

struct text_number text_date(int64_t time_ns, bool with_seconds)
{
	struct text_number date = {""};
	time_t seconds = time_ns / 1000000000;
	struct tm utc;

	if (time_ns && gmtime_r(&seconds, &utc))
		(void)strftime(date.text, sizeof(date.text),
			       with_seconds ? "%Y-%m-%d %H:%M:%S UTC" : "%Y-%m-%d %H:%M UTC", &utc);
	return date;
}

struct text_number text_share(double share)
{
	struct text_number number = {"<0.1 %"};

	if (share <= 0 || share >= 0.0005)
		(void)snprintf(number.text, sizeof(number.text), "%.1f %%", 100 * share);
	return number;
}

const char *text_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}
