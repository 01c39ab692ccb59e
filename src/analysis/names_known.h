/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The names that an earlier profile of the same measurement has. */
struct names_known {
	const struct profile *known;
	uint32_t *mappings; /* of each of the later profile's mappings, the number in KNOWN, or none
			     */
	uint32_t *next; /* of each of KNOWN's mappings, the location that was not looked at yet */
};

/* Both profiles have their locations as files have them: those of a mapping behind each other, by
 * address.  KNOWN may be NULL.  Returns 0 or -ENOMEM. */
int names_known_init(struct names_known *names, const struct profile *profile,
		     const struct profile *known);
void names_known_done(struct names_known *names);

/* What KNOWN has in the place of LOCATION, which comes behind all that it was called for in the
 * mapping, if that has a name; or NULL. */
const struct profile_location *names_known_find(struct names_known *names,
						const struct profile_location *location);
