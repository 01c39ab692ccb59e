// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/pprof_fields.h"
#include "base/proto.h"
#include "profile/pprof.h"

#include <errno.h>

/* It has no mark, but what is made of its fields to the last byte, and has texts, is no other. */
static bool recognises(const struct format_source *source)
{
	struct proto_cursor cursor = {source->bytes, source->bytes + source->size};
	struct proto_field field;
	bool has_texts = false;
	int more;

	while ((more = proto_next(&cursor, &field)) > 0) {
		if (!field.number || field.number > PPROF_DOC_URL)
			return false;
		has_texts |= field.number == PPROF_STRING_TABLE && field.type == PROTO_BYTES;
	}
	return !more && has_texts;
}

/* What is no profile at all is not told that it says whose it is. */
static int refuse_program(const struct format_source *source, struct error *reterr)
{
	struct profile *profile;
	int ret = pprof_parse(source->path, source->bytes, source->size, &profile, NULL);

	if (ret < 0)
		return error_set(reterr, -EBADMSG,
				 "%s: not a profile: give a gmon.out or another that is read "
				 "(profil-export(1))",
				 source->path);
	(void)profile_free(profile);
	return error_set(reterr, -EINVAL, "%s: says itself whose it is: name no program",
			 source->path);
}

static int read_pprof(const struct format_source *source, struct profile **ret_profile,
		      struct error *reterr)
{
	if (source->hints.program)
		return refuse_program(source, reterr);
	return pprof_parse(source->path, source->bytes, source->size, ret_profile, reterr);
}

static int write_pprof(const struct profile *profile, const char *path, struct error *ret_left,
		       struct error *reterr)
{
	if (!path)
		return error_set(reterr, -EINVAL,
				 "standard output: pprof's file is not text: name one with -o");
	*ret_left = (struct error){""};
	return pprof_write(profile, path, reterr);
}

const struct format_ops pprof_format = {
	.name = "pprof",
	.summary = "profile.proto, gzipped: profil's own",
	.recognises = recognises,
	.read = read_pprof,
	.write = write_pprof,
};
