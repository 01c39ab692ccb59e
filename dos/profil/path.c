/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/path.h"

#include "base/dos.h"
#include "base/text.h"

/* DOS takes no path that is longer. */
#define PATH_LONGEST 127

const char *path_extension(const char *path)
{
	const char *dot = 0;

	for (; *path; path++) {
		if (*path == '.')
			dot = path;
		else if (*path == '\\' || *path == ':')
			dot = 0;
	}
	return dot ? dot : path;
}

/* The drive of PATH, 0 for A:, its letter and colon to TO and its rest to RET_REST. */
static char *put_drive(char *to, const char *path, unsigned *ret_drive, const char **ret_rest)
{
	*ret_rest = path;
	if (path[0] && path[1] == ':') {
		*ret_drive = path[0] - 'A';
		*ret_rest = path + 2;
	} else {
		*ret_drive = dos_drive();
	}
	*to++ = 'A' + *ret_drive;
	*to++ = ':';
	return to;
}

int path_of_report(const char *path, char *report)
{
	unsigned drive;
	const char *rest;
	char *end;

	if (!*path || text_length(path) > PATH_LONGEST)
		return 1;
	end = put_drive(report, path, &drive, &rest);
	if (*rest != '\\') {
		*end++ = '\\';
		dos_folder(drive, end);
		end += text_length(end);
		if (end[-1] != '\\')
			*end++ = '\\';
	}
	text_put(end, rest);
	text_put((char *)path_extension(report), ".PRF");
	return 0;
}
