/* SPDX-License-Identifier: BSD-2-Clause */
/* The MAP file of a DOS program, of any linker: its symbols are in order and do not overlap, and
 * every bucket can be asked about. */

#include "base/error.h"
#include "fuzz.h"
#include "dos/dosmap.h"

#include <stdlib.h>

#define BUCKET 64
#define BUCKETS 1024

static void ask(const struct dosmap *map, uint32_t start)
{
	const struct dosmap_symbol *symbol = dosmap_symbol_in(map, start, start + BUCKET);
	const struct dosmap_line *line;

	if (!symbol)
		return;
	if (!symbol->name || symbol->limit <= start || symbol->start >= start + BUCKET)
		abort();
	line = dosmap_line_in(map, symbol, start, start + BUCKET);
	if (line && (!line->file || line->start >= start + BUCKET))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file("A.MAP", bytes, size);
	struct error error = {""};
	struct dosmap *map;

	if (dosmap_read(path, &map, &error)) {
		if (!*error.text)
			abort();
		return 0;
	}
	(void)dosmap_is_com(map);
	for (uint32_t i = 0; i < BUCKETS; i++)
		ask(map, i * BUCKET);
	ask(map, UINT32_MAX - BUCKET);
	(void)dosmap_free(map);
	return 0;
}
