// SPDX-License-Identifier: BSD-2-Clause
#include "view/bar.h"

#include <math.h>
#include <string.h>

void bar_spark(bool utf8, const uint64_t *amounts, size_t count, char text[BAR_TEXT])
{
	static const char *const usual[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	uint64_t most = 0;
	char *to = text;

	for (size_t i = 0; i < count; i++)
		most = most > amounts[i] ? most : amounts[i];
	*to = '\0';
	for (size_t i = 0; i < count && i < BAR_COLUMNS_MAX; i++) {
		double share = most ? (double)amounts[i] / (double)most : 0;

		to = stpcpy(to, (utf8 ? usual : ascii)[(size_t)ceil(share * 8)]);
	}
}

void bar_text(const struct marks *marks, size_t columns, double scale, struct interval interval,
	      char text[BAR_TEXT])
{
	double whole = (double)columns * 8 / scale;
	size_t sure = (size_t)lround(interval.low * whole), end;
	char *to = text;

	end = (size_t)ceil(interval.high * whole / 8);
	*to = '\0';
	for (size_t column = 0; column < end && column < columns; column++) {
		size_t eighths = sure > column * 8 ? sure - column * 8 : 0;
		const char *mark = marks->bar[eighths < 8 ? eighths : 8];

		if (!*mark)
			mark = marks->maybe;
		if ((size_t)(to - text) + strlen(mark) < BAR_TEXT)
			to = stpcpy(to, mark);
	}
}
