/* SPDX-License-Identifier: BSD-2-Clause */
/* The comments in which a profile says what profile.proto has no field for, one a line.  A check
 * sum keeps changed files from them, so that they would not be reached through a whole file.  What
 * was read and is written is read again as the same. */

#include "fuzz.h"
#include "profile/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct profile *two_places(void)
{
	struct profile *profile = profile_new();
	const struct profile_mapping mapping = {.limit = 0x1000};
	uint32_t index;

	if (!profile)
		abort();
	for (uint32_t i = 0; i < 2; i++) {
		const struct profile_location location = {.mapping = i, .address = i};

		if (profile_add_mapping(profile, &mapping, &index) ||
		    profile_add_location(profile, &location, &index))
			abort();
	}
	return profile;
}

static int read_again(void *context, const char *comment)
{
	if (facts_read(context, comment))
		abort();
	return 0;
}

struct comparison {
	const struct profile *other;
	char **lines;
	size_t count;
};

static int keep(void *context, const char *comment)
{
	struct comparison *kept = context;

	kept->lines = realloc(kept->lines, (kept->count + 1) * sizeof(*kept->lines));
	if (!kept->lines)
		abort();
	kept->lines[kept->count] = strdup(comment);
	if (!kept->lines[kept->count++])
		abort();
	return 0;
}

static struct comparison kept_of(const struct profile *profile)
{
	struct comparison kept = {0};

	if (facts_write(profile, keep, &kept))
		abort();
	return kept;
}

static void compare(struct comparison left, struct comparison right)
{
	if (left.count != right.count)
		abort();
	for (size_t i = 0; i < left.count; i++) {
		if (strcmp(left.lines[i], right.lines[i]))
			abort();
		free(left.lines[i]);
		free(right.lines[i]);
	}
	free(left.lines);
	free(right.lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text = strndup((const char *)bytes, size), *rest = text, *line;
	struct profile *profile = two_places(), *again = two_places();
	uint32_t sum;
	int r = 0;

	while ((line = strsep(&rest, "\n")) != NULL && !r) {
		(void)facts_find_sum(line, &sum);
		r = facts_read(profile, line);
		if (r && r != -EBADMSG)
			abort();
	}
	if (facts_write(profile, read_again, again))
		abort();
	compare(kept_of(profile), kept_of(again));
	(void)profile_free(profile);
	(void)profile_free(again);
	free(text);
	return 0;
}
