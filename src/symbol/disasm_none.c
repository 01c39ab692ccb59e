// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm_reader.h"

#include <errno.h>

/* Stands in for disasm_capstone.c in a build without Capstone. */

const char *disasm_capstone_why_not(int machine)
{
	return "this profil was built without Capstone, which reads instructions";
}

int disasm_capstone_run(int machine, const uint8_t *bytes, size_t size, uint64_t address,
			disasm_take *take, void *context)
{
	return -ENOTSUP;
}
