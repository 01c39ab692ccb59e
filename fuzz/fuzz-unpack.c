/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that may be gzipped, of one member or many: what is not bad is unpacked. */

#include "fuzz.h"
#include "profile/unpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file("a.gz", bytes, size);
	struct error error = {""};
	uint8_t *unpacked;
	size_t length;

	if (unpack_file(path, &unpacked, &length, &error)) {
		if (!*error.text)
			abort();
		return 0;
	}
	free(unpacked);
	return 0;
}
