/* SPDX-License-Identifier: BSD-2-Clause */
/* The text of /proc/PID/maps that stands in other programs' files: an address is in a place or in
 * none, and its tick is counted. */

#include "format/maps_text.h"
#include "fuzz.h"

#include <stdlib.h>

static const uint64_t addresses[] = {0,	      0x10010,	  0x10fff,    0x20000,	 0x4000f,
				     0x50000, 1ull << 40, 1ull << 63, UINT64_MAX};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct format_source source = {.path = "fuzzed"};
	struct imported imported;
	struct maps_text maps = {0};
	struct profile *profile;
	struct error error = {""};
	int r = imported_begin(&imported, &source);

	if (!r)
		r = maps_text_read(&maps, &imported, (const char *)bytes, size, &error);
	for (size_t i = 0; !r && i < sizeof(addresses) / sizeof(*addresses); i++) {
		struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = i + 1};

		r = maps_text_place(&maps, &imported, addresses[i], &cell.location);
		if (!r)
			r = builder_cell(&imported.builder, &cell);
	}
	maps_text_done(&maps);
	r = imported_end(&imported, r, &profile, &error);
	if (!r && profile->facts.samples != 45)
		abort();
	fuzz_check(r, profile, &error, /* balanced= */ true);
	return 0;
}
