/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The calls of a profile as gmon.out has them: by the object of the function called, whose file
 * knows callers in the same object alone. */
struct gmon_call {
	uint32_t object; /* index of the first mapping that is this file */
	uint64_t callee;
	uint64_t caller; /* 0: not known, or in another object */
	uint64_t count;
};

struct gmon_calls {
	struct gmon_call *items; /* by object, callee and caller, each once; heap */
	size_t count;
	uint64_t strangers; /* calls whose caller is known and left out */
};

/* OBJECTS is place_objects().  Returns 0, and free() frees the items, or -ENOMEM. */
int gmon_calls_of(const struct profile *profile, const uint32_t *objects,
		  struct gmon_calls *ret_calls);

/* Those of OBJECT; *RET_COUNT is how many. */
const struct gmon_call *gmon_calls_of_object(const struct gmon_calls *calls, uint32_t object,
					     size_t *ret_count);
