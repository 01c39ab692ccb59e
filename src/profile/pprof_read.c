// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include "profile/check.h"
#include "profile/facts.h"
#include "profile/foreign.h"
#include "profile/reader.h"
#include "profile/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The comment as text: it stays in the profile's strings, which is where facts go anyway. */
static int comment_text(struct reader *reader, size_t index, const char **ret_text)
{
	uint32_t id;
	int ret = reader_text(reader, reader->comments[index], &id);

	if (!ret)
		*ret_text = profile_text(reader->profile, id);
	return ret;
}

/* Is it profil's, and as profil wrote it? */
static int is_ours(struct reader *reader, bool *ret_ours)
{
	const char *comment;
	uint32_t sum;
	int ret = 0;

	*ret_ours = false;
	for (size_t i = 0; !ret && !*ret_ours && i < reader->comment_count; i++) {
		ret = comment_text(reader, i, &comment);
		if (!ret && facts_find_sum(comment, &sum))
			*ret_ours = sum == check_sum(reader->profile);
	}
	return ret;
}

/* Where profil seems to have written it, what is counted beside samples is read, too.  Of other
 * programs' values, one is enough. */
static int find_values(struct reader *reader)
{
	const char *comment;
	bool claimed = false;
	uint32_t sum;
	int ret = 0;

	for (size_t i = 0; !ret && !claimed && i < reader->comment_count; i++) {
		ret = comment_text(reader, i, &comment);
		claimed = !ret && facts_find_sum(comment, &sum);
	}
	return !ret && claimed ? reader_values(reader) : ret;
}

static int settle(struct reader *reader)
{
	const char *comment;
	bool ours;
	int ret = is_ours(reader, &ours);

	if (!ret && !ours) {
		reader->profile->value_count = reader->profile->amount_count = 0;
		reader->profile->facts.event = reader->event;
		foreign_settle(reader->profile);
	}
	for (size_t i = 0; !ret && ours && i < reader->comment_count; i++) {
		ret = comment_text(reader, i, &comment);
		ret = ret ? ret : facts_read(reader->profile, comment);
		if (ret == -EBADMSG)
			return reader_bad(reader, "a fact of profil's that is not of its form");
	}
	return ret;
}

static int read_all(struct reader *reader)
{
	int ret = -ENOMEM;

	reader->profile = profile_new();
	if (reader->profile)
		ret = reader_texts(reader);
	ret = ret ? ret : reader_head(reader);
	ret = ret ? ret : find_values(reader);
	ret = ret ? ret : reader_places(reader);
	ret = ret ? ret : reader_samples(reader);
	ret = ret ? ret : settle(reader);
	free(reader->texts);
	free(reader->types);
	free(reader->comments);
	ids_done(&reader->mappings);
	ids_done(&reader->functions);
	ids_done(&reader->locations);
	return ret;
}

/* Text has no control characters but those of its lines; every profile has the numbers of fields.
 */
static bool is_text(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((bytes[i] < ' ' && !strchr("\t\n\v\f\r\033", bytes[i])) || !bytes[i])
			return false;
	return true;
}

/* What the bytes are that are no profile: most are of another file, not of a damaged one. */
static const char *what_else(const struct reader *reader)
{
	static const uint8_t elf[] = {0x7f, 'E', 'L', 'F'};

	if (is_text(reader->bytes, reader->size))
		return "a text file, in no format that profil reads";
	if (reader->size >= sizeof(elf) && !memcmp(reader->bytes, elf, sizeof(elf)))
		return "a program or a library";
	return reader->why;
}

int pprof_parse(const char *path, const uint8_t *bytes, size_t size, struct profile **ret_profile,
		struct error *reterr)
{
	struct reader reader = {
		.bytes = bytes,
		.size = size,
		.nowhere = READER_NONE,
		.placeless = READER_NONE,
	};
	int ret = read_all(&reader);

	if (!ret) {
		*ret_profile = reader.profile;
		return 0;
	}
	profile_free(reader.profile);
	if (!size)
		return error_set(reterr, ret, "%s: the file is empty: give a pprof file (.pb.gz)",
				 path);
	if (ret == -EBADMSG)
		return error_set(reterr, ret, "%s: not a profile (%s): give a pprof file (.pb.gz)",
				 path, what_else(&reader));
	return error_set(reterr, ret, "%s: %s: free some memory", path, strerror(-ret));
}

int pprof_read(const char *path, struct profile **ret_profile, struct error *reterr)
{
	uint8_t *bytes;
	size_t size;
	int ret = unpack_file(path, &bytes, &size, reterr);

	if (ret)
		return ret;
	ret = pprof_parse(path, bytes, size, ret_profile, reterr);
	free(bytes);
	return ret;
}
