/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a program that may be one for DOS: whatever it says, it is no ELF file and no
 * script. */

#include "fuzz.h"
#include "dos/program.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const uint8_t *bytes, size_t size, const char *start)
{
	return size >= strlen(start) && !memcmp(bytes, start, strlen(start));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	bool exe = dos_program_is(fuzz_file("A.EXE", bytes, size));
	bool com = dos_program_is(fuzz_file("A.COM", bytes, size));

	if (exe && !starts(bytes, size, "MZ"))
		abort();
	if (com && (!size || starts(bytes, size, "\177ELF") || starts(bytes, size, "#!")))
		abort();
	return 0;
}
