/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/source.h"

#include <elfutils/libdwfl.h>

/* One opened ELF file or image with all that names its addresses: symbols, DWARF, unwind table. */
struct object;

/* Open the file PATH, with its separate debug file if it has one.
 * Returns 0, or -errno when it is not to be opened or not an ELF file; -ENOMEM. */
int object_open(const char *path, struct object **ret_object);

/* The same for the SIZE bytes at IMAGE, which must stay until object_close(). */
int object_open_image(const char *name, char *image, size_t size, struct object **ret_object);

/* The file PATH without its debug information, for who asks for functions and bytes alone. */
int object_open_code(const char *path, struct object **ret_object);

/* Takes NULL, returns NULL. */
struct object *object_close(struct object *object);

/* Where the first loaded byte of OBJECT stands in its own addresses. */
uint64_t object_base(const struct object *object);

/* Name the addresses of BATCH, which are BIAS below OBJECT's own.  LABEL is what nameless code of
 * it is called after.  Returns 0, -ENOMEM, -ECANCELED where the search has been
 * stopped (fetch.h), or what TAKE returned. */
int object_name(struct object *object, const struct symbol_batch *batch, uint64_t bias,
		const char *label);

/* A function as it stands in the code. */
struct object_extent {
	uint64_t start, end;
	const char *name; /* the linker's, NULL when only the unwind table knows it */
};

/* The function that ADDRESS is in, by the symbol table or else by the unwind table.
 * Returns 1 and the function, 0 when there is none, or -ENOMEM. */
int object_extent(struct object *object, uint64_t address, struct object_extent *ret_extent);

/* Read the unwind table, so that object_unwind() has it.  Returns 0 or -ENOMEM. */
int object_read_unwind(struct object *object);

/* What OBJECT is made of: its executable ranges, its symbols, its functions by the unwind table
 * (empty until it was read), its machine. */
const struct spans *object_code(const struct object *object);
const struct spans *object_symbols(const struct object *object);
const struct spans *object_unwind(const struct object *object);
int object_machine(const struct object *object); /* symbol/loaded.h */

/* The SIZE bytes of the file that are loaded at ADDRESS, valid until object_close(); NULL when it
 * does not have them all. */
const uint8_t *object_bytes(const struct object *object, uint64_t address, size_t size);
