// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

const struct format_ops *const formats[] = {
	&prf_format,
	&pprof_format,
};
const size_t format_count = ARRAY_LENGTH(formats);

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && !strcasecmp(path + length - tail, ending);
}

const struct format_ops *format_of_path(const char *path)
{
	size_t i = 0;

	while (formats[i]->ending && !ends_with(path, formats[i]->ending))
		i++;
	return formats[i];
}

int format_read(const char *path, const struct format_hints *hints, struct profile **ret_profile,
		struct error *reterr)
{
	const struct format_ops *format = format_of_path(path);

	if (!format->read)
		return error_set(reterr, -ENOTSUP, "%s: a %s file is not read: name a profile",
				 path, format->name);
	return format->read(path, hints ? hints : &(struct format_hints){0}, ret_profile, reterr);
}
