/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever bytes a file has, each reader of src/format gives a sound profile or says why not. Built
 * by itself it is libFuzzer's; with replay.c it goes through the files that it is given. */

#include "format/format.h"
#include "fuzz.h"

#include <stdlib.h>

/* profil's own files say how many ticks fired, and report tells when that is not their sum; of all
 * others the sum is what fired. */
static bool says_what_fired(const struct format_source *source)
{
	size_t i = 0;

	while (!formats[i]->recognises || !formats[i]->recognises(source))
		i++;
	return formats[i] == &pprof_format;
}

/* What every command relies on: indices point to what is there, and the ticks are all accounted. */
static void check(const struct profile *profile, bool balanced)
{
	struct profile_account account;

	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].location >= profile->location_count)
			abort();
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		if (location->mapping >= profile->mapping_count ||
		    (uint64_t)location->first_line + location->line_count > profile->line_count)
			abort();
	}
	for (size_t i = 0; i < profile->line_count; i++)
		if (profile->lines[i].function >= profile->function_count)
			abort();
	for (size_t i = 0; i < profile->call_count; i++)
		if (profile->calls[i].callee >= profile->location_count ||
		    (profile->calls[i].caller != PROFILE_NO_CALLER &&
		     profile->calls[i].caller >= profile->location_count))
			abort();
	profile_account(profile, &account);
	if (balanced && account.total != profile->facts.fired)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct format_source source = {.path = "fuzzed", .bytes = bytes, .size = size};
	struct profile *profile;
	struct error error = {""};

	if (format_parse(&source, &profile, &error) < 0) {
		if (!*error.text)
			abort();
		return 0;
	}
	check(profile, !says_what_fired(&source));
	(void)profile_free(profile);
	return 0;
}
