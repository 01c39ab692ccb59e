/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

/* Which functions of a profile somebody wants to look at.  A function is one as it stands in the
 * code: what was inlined into it is a part of it. */

struct subject {
	uint32_t object;   /* the first of the mappings that are its file, see place_objects() */
	uint32_t function; /* string: its name; 0 when the address alone is known */
	uint64_t address;  /* of its hottest cell */
	uint64_t ticks;	   /* of all code of that name in that object */
	uint64_t wanted; /* of these, samples in what was asked for (a line, an inlined function) */
};

struct subjects {
	uint32_t *objects;	/* place_objects() */
	uint32_t *of_locations; /* for each location of the profile its subject, or SUBJECT_NONE */
	bool *asked;		/* for each, whether it has samples and is in what was asked for */
	struct subject *items;	/* most wanted samples first; the order is total */
	size_t count, capacity;
	bool inlined; /* what was asked for is only ever inlined into the subjects */
};
#define SUBJECT_NONE UINT32_MAX

/* Find the functions with samples that WHAT asks for: "SOURCE:LINE"; else the name of a function;
 * else that of an object, by base name or path; else a function's without scope and arguments; else
 * an extended regular expression that matches a function's name.  NULL asks for all.
 * Returns 0; -ENOENT with a sentence when nothing is found, -EINVAL for a bad expression, -ENOMEM.
 * The caller frees *RET_SUBJECTS with subjects_done(). */
int subjects_find(const struct profile *profile, const char *what, struct subjects *ret_subjects,
		  struct error *reterr);
void subjects_done(struct subjects *subjects);
