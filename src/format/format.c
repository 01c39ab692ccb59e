// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/array.h"
#include "profile/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* What says most surely what it is comes first. */
const struct format_ops *const formats[] = {
	&prf_format,	    &callgrind_format,	&speedscope_format,    &firefox_format,
	&perf_data_format,  &llvm_format,	&llvm_contexts_format, &bolt_format,
	&autofdo_format,    &gperftools_format, &perf_script_format,   &gmon_gnu_format,
	&gmon_bsd44_format, &mon_format,	&gmon_bsd_format,      &folded_format,
	&pprof_format,
};
const size_t format_count = ARRAY_LENGTH(formats);

const struct format_ops *format_called(const char *name)
{
	for (size_t i = 0; i < format_count; i++)
		if (formats[i]->write && !strcmp(formats[i]->name, name))
			return formats[i];
	return NULL;
}

static bool ends_with(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && !strcasecmp(path + length - tail, ending);
}

const struct format_ops *format_of_path(const char *path)
{
	size_t i = 0;

	while (i + 1 < format_count && !(formats[i]->ending && ends_with(path, formats[i]->ending)))
		i++;
	return formats[i];
}

const struct format_ops *format_of(const struct format_source *source)
{
	size_t i = 0;

	/* A profile.proto can hold together as an old format without a mark, too. */
	if (pprof_format.recognises(source))
		return &pprof_format;
	while (i + 1 < format_count && !(formats[i]->recognises && formats[i]->recognises(source)))
		i++;
	return formats[i];
}

int format_parse(const struct format_source *source, struct profile **ret_profile,
		 struct error *reterr)
{
	return format_of(source)->read(source, ret_profile, reterr);
}

static int read_recognised(struct format_source *source, struct profile **ret_profile,
			   struct error *reterr)
{
	uint8_t *bytes;
	int ret;

	if (source->hints.map)
		return error_set(reterr, -EINVAL,
				 "%s: has no use for a map: only a .PRF of a DOS program has",
				 source->path);
	ret = unpack_file(source->path, &bytes, &source->size, reterr);
	if (ret < 0)
		return ret;
	source->bytes = bytes;
	ret = format_parse(source, ret_profile, reterr);
	free(bytes);
	return ret;
}

/* A file that its owner keeps for himself, and no pipe, is private, and so is what is made of it.
 */
static bool is_for_owner(const char *path)
{
	struct stat file;

	return !stat(strcmp(path, "-") != 0 ? path : "/dev/stdin", &file) &&
	       S_ISREG(file.st_mode) && !(file.st_mode & (S_IRGRP | S_IROTH));
}

int format_read(const char *path, const struct format_hints *hints, struct profile **ret_profile,
		struct error *reterr)
{
	const struct format_ops *format = format_of_path(path);
	struct format_source source = {.path = path};
	int ret;

	if (hints)
		source.hints = *hints;
	ret = format->ending ? format->read(&source, ret_profile, reterr)
			     : read_recognised(&source, ret_profile, reterr);
	if (!ret)
		(*ret_profile)->is_private = is_for_owner(path);
	return ret;
}
