/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "format/object_cells.h"
#include "target/module.h"

/* The samples in one file that is surely still what ran, for formats that optimise it: of the
 * program, or of the only file that has samples. */
struct one_file {
	const char *path;		 /* the profile's */
	struct module module;		 /* what it is now */
	struct object_cells all;	 /* of all files ... */
	const struct object_cell *cells; /* ... and of this one, by offset in it */
	size_t count;
};

/* Returns 0, and one_file_close() frees *RET_FILE, -ENOMEM, or -ENOTSUP with a sentence. */
int one_file_open(const struct profile *profile, struct one_file *ret_file, struct error *reterr);
void one_file_close(struct one_file *file);

/* Put into RET_LEFT what of the samples is not in the output: those that are not in FILE; and
 * PLACELESS of its own, of which WHY says where they are, if they are any. */
void one_file_tell(const struct one_file *file, const struct profile *profile, uint64_t placeless,
		   const char *why, struct error *ret_left);
