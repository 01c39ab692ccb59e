// SPDX-License-Identifier: BSD-2-Clause
#include "profile/beside.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Where the ending of NAME begins: a dot behind something, and a letter behind it. */
static size_t ending_of(const char *name, size_t length)
{
	for (size_t at = length; at > 1; at--) {
		if (name[at - 1] == '.')
			return isalpha((unsigned char)name[at]) ? at - 1 : length;
	}
	return length;
}

char *beside(const char *path, const char *word)
{
	const char *slash = strrchr(path, '/');
	size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
	const char *name = path + folder;
	size_t length = strlen(name), ending = ending_of(name, length), keep, more;
	char *made;

	/* What is packed has an ending within. */
	if (!strcmp(name + ending, ".gz"))
		ending = ending_of(name, ending);
	keep = ending;
	more = strlen(word) + 1;
	if (length + more > NAME_MAX)
		keep -= length + more - NAME_MAX < keep ? length + more - NAME_MAX : keep;
	if (asprintf(&made, "%.*s%.*s.%s%s", (int)folder, path, (int)keep, name, word,
		     name + ending) < 0)
		return NULL;
	return made;
}
