/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SYMBOL_OBJECT_H
#define PROFIL_SYMBOL_OBJECT_H

#include "symbol/source.h"

#include <elfutils/libdwfl.h>

/* One opened ELF file or image with all that names its addresses: symbols, DWARF, unwind table. */
struct object;

/* Open the file PATH, with its separate debug file if it has one.
 * Returns 0, or -errno when it is not to be opened or not an ELF file; -ENOMEM. */
int object_open(const char *path, struct object **ret_object);

/* The same for the SIZE bytes at IMAGE, which must stay until object_close(). */
int object_open_image(const char *name, char *image, size_t size, struct object **ret_object);

/* Takes NULL, returns NULL. */
struct object *object_close(struct object *object);

/* Where the first loaded byte of OBJECT stands in its own addresses. */
uint64_t object_base(const struct object *object);

/* Name the addresses of BATCH, which are BIAS below OBJECT's own.  LABEL is what nameless code of
 * it is called after.  Returns 0, -ENOMEM, or what TAKE returned. */
int object_name(struct object *object, const struct symbol_batch *batch, uint64_t bias,
		const char *label);

#endif
