/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* What a location is to a table: its function, its source line, and the object it lies in. */

struct place {
	const struct profile_location *location;
	uint32_t object;   /* the first of the mappings that are one file */
	uint32_t function; /* string: its name; 0 when it has none, see names_bare() */
	uint32_t inlined;  /* string: the innermost function that was inlined there; 0: none */
	uint32_t file;	   /* string, 0 when unknown; of the line */
	uint32_t line;	   /* the innermost, 0 when unknown */
};

/* For each mapping of PROFILE the number of the first one that is the same file: the text
 * segments of a file are one object, two files that stood at one path are not.
 * Returns a heap array, or NULL when memory is short. */
uint32_t *place_objects(const struct profile *profile);

/* The place of a location; OBJECTS is place_objects(). */
struct place place_of(const struct profile *profile, const uint32_t *objects,
		      const struct profile_location *location);
