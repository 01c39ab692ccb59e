/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* What a location is called, frame by frame, in the words of formats that have names: a location
 * without a name has one frame, which names_bare() calls. */
struct frame {
	char *name;	  /* heap */
	const char *file; /* "" when unknown; the profile's */
	uint32_t line;	  /* 0 when unknown */
};

/* How many frames there are, inlined ones counted; one at least. */
size_t frame_count(const struct profile_location *location);

/* The frame of the function, which all formats mean that have no word for inlined ones. */
int frame_of_function(const struct profile *profile, const struct profile_location *location,
		      struct frame *ret_frame);

/* Frame INDEX, 0 being the innermost.  Returns 0, and frame_done() frees it, or -ENOMEM. */
int frame_of(const struct profile *profile, const struct profile_location *location, size_t index,
	     struct frame *ret_frame);
void frame_done(struct frame *frame);
