// SPDX-License-Identifier: BSD-2-Clause
#include "base/maps_line.h"

#include <string.h>

/* The number at *AT, which moves behind it and the sign that follows, END; at the end of the text
 * there may be none.  False: it is not there. */
static bool take_number(const char **at, unsigned base, char end, uint64_t *ret_number)
{
	const char *first = *at;
	uint64_t number = 0;

	for (;; ++*at) {
		char sign = **at;
		unsigned digit = sign >= '0' && sign <= '9'   ? (unsigned)(sign - '0')
				 : sign >= 'a' && sign <= 'f' ? (unsigned)(sign - 'a') + 10
							      : base;
		if (digit >= base)
			break;
		number = number * base + digit;
	}
	if (*at == first || (**at && **at != end))
		return false;
	*at += **at == end;
	*ret_number = number;
	return true;
}

/* "start-end rwxp offset major:minor inode   path" */
bool maps_line_parse(const char *line, struct maps_line *ret_line)
{
	struct maps_line taken;
	uint64_t major, minor;

	if (!take_number(&line, 16, '-', &taken.start) || !take_number(&line, 16, ' ', &taken.end))
		return false;
	if (strnlen(line, 5) < 5 || line[4] != ' ')
		return false;
	memcpy(taken.rights, line, sizeof(taken.rights));
	line += 5;
	if (!take_number(&line, 16, ' ', &taken.offset) || !take_number(&line, 16, ':', &major) ||
	    !take_number(&line, 16, ' ', &minor) || !take_number(&line, 10, ' ', &taken.inode))
		return false;
	taken.major = (uint32_t)major;
	taken.minor = (uint32_t)minor;
	taken.path = line + strspn(line, " ");
	*ret_line = taken;
	return true;
}
