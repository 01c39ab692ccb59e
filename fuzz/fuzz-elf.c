/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's file, as it is looked at when its cells become a profile: segments and build-id. */

#include "fuzz.h"
#include "target/module.h"

#include <stdlib.h>
#include <string.h>

static void ask(const struct module *module, uint64_t offset)
{
	uint64_t address;
	const struct module_segment *segment = module_address(module, offset, &address);

	if (segment &&
	    (segment < module->segments || segment >= module->segments + module->segment_count))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *path = fuzz_file("program", bytes, size);
	const struct file_identity any = {0};
	struct module module;

	if (module_inspect(path, &any, "", &module))
		abort();
	if (strlen(module.build_id) % 2 || (module.segment_count && module.state != MODULE_SAME))
		abort();
	ask(&module, 0);
	ask(&module, size);
	ask(&module, UINT64_MAX);
	module_done(&module);
	return 0;
}
