// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/x86.h"

#include "unwind/instruction.h"

uint8_t x86_length(const uint8_t *bytes, size_t size)
{
	struct instruction instruction;

	return instruction_read(bytes, size, &instruction) && instruction.map ? instruction.length
									      : 1;
}
