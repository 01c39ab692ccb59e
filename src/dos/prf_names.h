/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "format/format.h"

/* What a .PRF does not say: how its program is called, whether it is a .COM, and the names in its
 * map. */
struct prf_names;

/* The map is HINTS's, or the file beside PATH that differs from it only in its ending, .MAP or
 * .map; that there is none is no error.  Returns 0, or -errno with a sentence.  prf_names_close()
 * takes NULL. */
int prf_names_open(const char *path, const struct format_hints *hints, struct prf_names **ret_names,
		   struct error *reterr);
void prf_names_close(struct prf_names *names);

/* The program's path where it is known, else the .PRF's name without its ending. */
const char *prf_names_program(const struct prf_names *names);

/* The address that the map gives to the first bucket: 0, of a .COM 100h. */
uint64_t prf_names_base(const struct prf_names *names);

/* Name the locations of PROFILE, which are in rising order: a bucket has the name of the symbol
 * that has the largest part of it.  FULL is how many counters are full, which the program's mapping
 * is given a note of; where there is no map, the note says that.  Returns 0 or -ENOMEM. */
int prf_names_give(const struct prf_names *names, struct profile *profile, uint64_t full);
