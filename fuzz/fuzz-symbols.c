/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's file, as its symbols, debug and unwind tables are asked for names: each address is
 * called something. */

#include "fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct symbol_object program = {
		.space = SYMBOL_FILE,
		.path = fuzz_file("program", bytes, size),
		.build_id = "",
	};
	struct symbols *symbols;
	struct error error;

	if (symbols_open(&(struct symbols_options){0}, &symbols, &error))
		abort();
	fuzz_names(symbols, &program);
	return 0;
}
