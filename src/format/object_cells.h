/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The cells of a profile as formats have them that are of one file: object by object, and by where
 * they stand in it. */
struct object_cell {
	uint32_t object; /* index of the first mapping that is this file */
	uint64_t address;
	uint64_t ticks;
};

enum object_cells_by {
	OBJECT_CELLS_BINS,    /* addresses as the file counts them, in bins of GMON_BIN bytes */
	OBJECT_CELLS_OFFSETS, /* where the bytes stand in the file */
};

struct object_cells {
	struct object_cell *items; /* by object and address, each once; heap */
	size_t count;
	uint64_t ticks; /* of these */
	uint64_t moved; /* of these, at odd addresses, by OBJECT_CELLS_BINS */
};

/* OBJECTS is place_objects().  With OBJECT_CELLS_BINS a function that was called has a cell, if one
 * without ticks, so that each object which has anything to tell has cells.
 * Returns 0, and free() frees the items, or -ENOMEM. */
int object_cells_of(const struct profile *profile, const uint32_t *objects, enum object_cells_by by,
		    struct object_cells *ret_cells);

/* How many cells from FIRST on are of its object. */
size_t object_cells_count(const struct object_cells *cells, size_t first);

/* The first cell of the object that is meant unless told otherwise: of the program with the most
 * ticks, or of the only object.  Where several libraries have all ticks it is none, which is the
 * number of cells: addresses of one would be looked up in another. */
size_t object_cells_main(const struct object_cells *cells, const struct profile *profile);
