// SPDX-License-Identifier: BSD-2-Clause
#include "profile/check.h"

#include "base/array.h"

#include <endian.h>
#include <zlib.h>

static uLong add_words(uLong sum, uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		words[i] = htole64(words[i]);
	return crc32(sum, (const Bytef *)words, (uInt)(count * sizeof(*words)));
}

uint32_t check_sum(const struct profile *profile)
{
	uLong sum = crc32(0, NULL, 0);

	for (size_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		uint64_t words[] = {mapping->start, mapping->limit, mapping->offset};

		sum = add_words(sum, words, ARRAY_LENGTH(words));
	}
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		uint64_t words[] = {location->mapping, location->address};

		sum = add_words(sum, words, ARRAY_LENGTH(words));
	}
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		uint64_t words[] = {cell->location, cell->ticks};

		sum = add_words(sum, words, ARRAY_LENGTH(words));
	}
	for (size_t i = 0; i < profile->call_count; i++) {
		const struct profile_call *call = &profile->calls[i];
		uint64_t words[] = {call->caller, call->callee, call->count};

		sum = add_words(sum, words, ARRAY_LENGTH(words));
	}
	return (uint32_t)sum;
}
