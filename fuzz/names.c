/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"

#include <stdlib.h>

/* Where things lie in the files of the corpora, before, between and behind. */
static const uint64_t addresses[] = {
	0,
	1,
	0x10,
	0x100,
	0xfff,
	0x1000,
	0x1001,
	0x1040,
	0x1100,
	0x2000,
	0x401000,
	0x401010,
	0x7fffffff,
	0x80000000,
	1ull << 47,
	1ull << 63,
	0xffffffff81000000,
	0xffffffff81000208,
	0xffffffffc0000900,
	UINT64_MAX - 1,
	UINT64_MAX,
};

#define ADDRESSES (sizeof(addresses) / sizeof(*addresses))

static int take(void *context, size_t index, const struct symbol_place *place)
{
	size_t *next = context;

	if (index != (*next)++ || !place->frame_count)
		abort();
	for (size_t i = 0; i < place->frame_count; i++)
		if (!place->frames[i].function || !place->frames[i].system_name ||
		    !place->frames[i].file)
			abort();
	return 0;
}

void fuzz_names(struct symbols *symbols, const struct symbol_object *object)
{
	size_t next = 0;

	if (symbols_name(symbols, object, addresses, ADDRESSES, take, &next) || next != ADDRESSES)
		abort();
	(void)symbols_close(symbols);
}
