/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's list of its symbols. */

#include "fuzz.h"
#include "symbol/source.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct symbol_object kernel = {.space = SYMBOL_KERNEL, .path = "", .build_id = ""};
	struct symbols *symbols;
	struct error error;

	if (symbols_open(&(struct symbols_options){0}, &symbols, &error))
		abort();
	symbols->kallsyms_path = fuzz_file("kallsyms", bytes, size);
	fuzz_names(symbols, &kernel);
	return 0;
}
