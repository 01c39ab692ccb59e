/* SPDX-License-Identifier: BSD-2-Clause */
/* A .PRF, which is known by its name and read from its file. */

#include "format/format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file("A.PRF", bytes, size);
	struct profile *profile;
	struct error error = {""};
	int r = format_read(path, NULL, &profile, &error);

	fuzz_check(r, profile, &error, /* balanced= */ true);
	return 0;
}
