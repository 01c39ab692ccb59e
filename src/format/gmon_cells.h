/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The cells of a profile as gmon.out has them: object by object, in bins of two bytes of text. */
struct gmon_cell {
	uint32_t object;  /* index of the first mapping that is this file */
	uint64_t address; /* even */
	uint64_t ticks;
};

struct gmon_cells {
	struct gmon_cell *items; /* by object and address, each once; heap */
	size_t count;
	uint64_t ticks; /* of these */
	uint64_t moved; /* of these, at odd addresses */
};

/* OBJECTS is place_objects().  A function that was called has a cell, if one without ticks, so that
 * each object which has anything to tell has cells.
 * Returns 0, and free() frees the items, or -ENOMEM. */
int gmon_cells_of(const struct profile *profile, const uint32_t *objects,
		  struct gmon_cells *ret_cells);

/* How many cells from FIRST on are of its object. */
size_t gmon_cells_of_object(const struct gmon_cells *cells, size_t first);

/* The first cell of the object that gprof is shown unless told otherwise: of the program with the
 * most ticks, or of the only object.  Where several libraries have all ticks it is none, which is
 * the number of cells: gprof would look one's addresses up in the program. */
size_t gmon_cells_main(const struct gmon_cells *cells, const struct profile *profile);
