/* SPDX-License-Identifier: BSD-2-Clause */
/* PROHST's listing, of a .PRF and its MAP: the first byte says how many hold the .PRF. */

#include "fuzz.h"
#include "dos/prohst/listing.h"

#include <stdlib.h>

struct part {
	const uint8_t *next, *end;
};

static int next_byte(void *context)
{
	struct part *part = context;

	return part->next < part->end ? *part->next++ : -1;
}

/* A line of the listing has at most 132 characters, so that no damaged file makes a long one. */
struct listing {
	size_t column;
};

static void put_byte(void *context, int byte)
{
	struct listing *listing = context;

	if (byte < 0 || byte > 255 || listing->column > 132)
		abort();
	listing->column = byte == '\n' ? 0 : listing->column + 1;
}

static void list(struct part profile, struct part map, int original)
{
	struct part parts[] = {profile, profile, map, map};
	struct listing listing = {0};
	const struct prohst_files files = {
		.sums = {next_byte, &parts[0]},
		.rows = {next_byte, &parts[1]},
		.modules = {next_byte, &parts[2]},
		.lines = {next_byte, &parts[3]},
		.listing = {put_byte, &listing},
	};

	(void)prohst_list(&files, original, /* unix_text= */ !original);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct part profile, map;

	if (!size)
		return 0;
	profile.next = bytes + 1;
	profile.end = profile.next + (*bytes < size ? *bytes : size - 1);
	map = (struct part){profile.end, bytes + size};
	list(profile, map, /* original= */ 0);
	list(profile, map, /* original= */ 1);
	return 0;
}
