// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include "base/parse.h"
#include "base/pprof_fields.h"
#include "base/proto.h"
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

/* ---- a glance ---- */

/* So many texts may look like what profil says before it is no longer asked who says it. */
#define GLANCE_LOOKS 64

/* Whether the text of number INDEX is a comment in what CURSOR has. */
static bool is_comment(struct proto_cursor cursor, uint64_t index)
{
	struct proto_cursor numbers;
	struct proto_field field;
	uint64_t number;

	while (proto_next(&cursor, &field) == 1) {
		if (field.number != PPROF_COMMENT || proto_unpack(&field, &numbers))
			continue;
		while (numbers.next < numbers.end && !proto_varint(&numbers, &number))
			if (number == index)
				return true;
	}
	return false;
}

/* What stands behind NAME in FIELD, a text; NULL: it begins otherwise.  It is the caller's. */
static char *text_behind(const struct proto_field *field, const char *name)
{
	size_t length = strlen(name);

	if (field->type != PROTO_BYTES || field->size < length ||
	    memcmp(field->bytes, name, length) != 0)
		return NULL;
	return strndup((const char *)field->bytes + length, field->size - length);
}

/* What is known of a file that is looked at. */
struct glancing {
	struct proto_cursor all;
	struct pprof_glance seen;
	uint64_t texts;	  /* so many have been seen */
	unsigned looked;  /* for so many all was looked through */
	bool has_samples; /* profil has said how many there are */
};

static void glance_at_text(struct glancing *glancing, const struct proto_field *field)
{
	struct pprof_glance *seen = &glancing->seen;
	char *samples = text_behind(field, "profil.samples: ");
	char *command = samples ? NULL : text_behind(field, "profil.command: ");
	uint64_t index = glancing->texts++;

	if ((samples || command) && glancing->looked++ < GLANCE_LOOKS &&
	    is_comment(glancing->all, index)) {
		if (samples)
			glancing->has_samples =
				!parse_count(samples, 0, UINT64_MAX, &seen->samples);
		if (command && !seen->command) {
			seen->command = command;
			command = NULL;
		}
	}
	free(samples);
	free(command);
}

/* The first value of SAMPLE, which counts samples; 0: it has none. */
static uint64_t first_value(const struct proto_field *sample)
{
	struct proto_cursor fields, numbers;
	struct proto_field field;
	uint64_t value = 0;

	if (proto_enter(sample, &fields))
		return 0;
	while (proto_next(&fields, &field) == 1)
		if (field.number == PPROF_SAMPLE_VALUE)
			return proto_unpack(&field, &numbers) || proto_varint(&numbers, &value)
				       ? 0
				       : value;
	return 0;
}

int pprof_glance(const char *path, struct pprof_glance *ret_glance)
{
	struct glancing glancing = {0};
	struct pprof_glance *seen = &glancing.seen;
	struct proto_cursor cursor;
	struct proto_field field;
	struct error ignored;
	uint64_t sum = 0;
	uint8_t *bytes;
	size_t size;
	int ret = unpack_file(path, &bytes, &size, &ignored);

	if (ret)
		return ret;
	glancing.all = cursor = (struct proto_cursor){bytes, bytes + size};
	while ((ret = proto_next(&cursor, &field)) == 1) {
		if (field.number == PPROF_TIME_NANOS)
			seen->time_ns = (int64_t)field.value;
		else if (field.number == PPROF_DURATION_NANOS)
			seen->duration_ns = field.value;
		else if (field.number == PPROF_SAMPLE)
			sum += first_value(&field);
		else if (field.number == PPROF_STRING_TABLE)
			glance_at_text(&glancing, &field);
	}
	free(bytes);
	/* Another program may have made something else of it, and left what profil says. */
	if (ret || !glancing.has_samples || sum != seen->samples) {
		free(seen->command);
		return ret ? ret : -ENODATA;
	}
	*ret_glance = *seen;
	return 0;
}
