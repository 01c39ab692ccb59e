/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <stddef.h>
#include <stdint.h>

/* The text of one ELF file: which functions stand where, and their bytes.  Addresses are the file's
 * own.  Not thread-safe; not signal-safe. */
struct code;

struct code_function {
	uint64_t start, end; /* end exclusive */
	const char *name;    /* demangled, or "file+0xstart" of a nameless one; the code's text */
};

/* Open the file PATH, already known to be the one that ran.  Nothing of its debug information is
 * read.  Returns 0, -ENOMEM, or another -errno when it is not to be opened or not an ELF file. */
int code_open(const char *path, struct code **ret_code);

/* Takes NULL, returns NULL. */
struct code *code_close(struct code *code);

/* The function that ADDRESS is in.  Returns 1 and the function, 0 when none is known, or -ENOMEM.
 */
int code_function_at(struct code *code, uint64_t address, struct code_function *ret_function);

/* The starts of all known functions, rising, *RET_COUNT of them; the code's. */
const uint64_t *code_starts(const struct code *code, size_t *ret_count);

/* The executable ranges, rising and disjoint. */
const struct spans *code_ranges(const struct code *code);

/* The machine of the code as ELF numbers it (EM_X86_64 ...); EM_NONE when it is big-endian or
 * RISC-V of 32 bits, for no such instructions are read here. */
int code_machine(const struct code *code);

/* The SIZE bytes at ADDRESS, valid until code_close(); NULL when the file does not have them. */
const uint8_t *code_bytes(const struct code *code, uint64_t address, size_t size);
