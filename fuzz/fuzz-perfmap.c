/* SPDX-License-Identifier: BSD-2-Clause */
/* perf-PID.map, which the measured program writes. */

#include "fuzz.h"
#include "symbol/source.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct symbol_object process = {
		.space = SYMBOL_ANON, .path = "", .build_id = "", .pid = 4242};
	struct symbols *symbols;
	struct error error;

	(void)fuzz_file("perf-4242.map", bytes, size);
	if (symbols_open(&(struct symbols_options){0}, &symbols, &error))
		abort();
	symbols->perfmap_folder = fuzz_folder();
	fuzz_names(symbols, &process);
	return 0;
}
