/* SPDX-License-Identifier: BSD-2-Clause */
/* One reader of src/format, READER, is given bytes that need not look like its format: every input
 * reaches it, and nothing else. */

#include "format/format.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct format_source source = {.path = "fuzzed", .bytes = bytes, .size = size};
	struct profile *profile;
	struct error error = {""};
	int r = READER.read(&source, &profile, &error);

	/* profil's own files say themselves how many ticks fired. */
	fuzz_check(r, profile, &error, strcmp(READER.name, pprof_format.name) != 0);
	return 0;
}
