// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/array.h"
#include "profile/unpack.h"

#include <stdlib.h>
#include <string.h>

/* What says most surely what it is comes first; profile.proto has no mark at all. */
const struct format_ops *const formats[] = {
	&folded_format,	    &callgrind_format,	 &speedscope_format, &llvm_format,
	&gperftools_format, &perf_script_format, &gmon_gnu_format,   &gmon_bsd44_format,
	&gmon_bsd_format,   &pprof_format,
};
const size_t format_count = ARRAY_LENGTH(formats);

const struct format_ops *format_called(const char *name)
{
	for (size_t i = 0; i < format_count; i++)
		if (formats[i]->write && !strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

static const struct format_ops *format_of(const struct format_source *source)
{
	size_t i = 0;

	while (!formats[i]->recognises || !formats[i]->recognises(source))
		i++;
	return formats[i];
}

int format_read(const char *path, const struct format_hints *hints, struct profile **ret_profile,
		struct error *reterr)
{
	struct format_source source = {.path = path};
	uint8_t *bytes;
	int r;

	if (hints)
		source.hints = *hints;
	r = unpack_file(path, &bytes, &source.size, reterr);
	if (r < 0)
		return r;
	source.bytes = bytes;
	r = format_of(&source)->read(&source, ret_profile, reterr);
	free(bytes);
	return r;
}
