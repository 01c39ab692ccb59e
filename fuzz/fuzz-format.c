/* SPDX-License-Identifier: BSD-2-Clause */
/* Whatever bytes a file has, one reader of src/format takes it, and gives a sound profile or says
 * why not. */

#include "format/format.h"
#include "fuzz.h"

#include <stdlib.h>

/* profil's own files say how many ticks fired, and report tells when that is not their sum; of all
 * others the sum is what fired. */
static bool says_what_fired(const struct format_source *source)
{
	return format_of(source) == &pprof_format;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct format_source source = {.path = "fuzzed", .bytes = bytes, .size = size};
	struct profile *profile;
	struct error error = {""};
	int r = format_parse(&source, &profile, &error);

	fuzz_check(r, profile, &error, !says_what_fired(&source));
	return 0;
}
