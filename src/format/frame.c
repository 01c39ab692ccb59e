// SPDX-License-Identifier: BSD-2-Clause
#include "format/frame.h"

#include "analysis/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

size_t frame_count(const struct profile_location *location)
{
	return location->line_count ? location->line_count : 1;
}

int frame_of(const struct profile *profile, const struct profile_location *location, size_t index,
	     struct frame *ret_frame)
{
	const struct profile_function *function;
	const struct profile_line *line;
	struct frame frame = {.file = ""};

	if (location->line_count) {
		line = &profile->lines[location->first_line + index];
		function = &profile->functions[line->function];
		frame.file = profile_text(profile, function->file);
		frame.line = line->line;
		if (function->name)
			frame.name = strdup(profile_text(profile, function->name));
		else
			frame.name = names_bare(profile, location);
	} else {
		frame.name = names_bare(profile, location);
	}
	if (!frame.name)
		return -ENOMEM;
	*ret_frame = frame;
	return 0;
}

int frame_of_function(const struct profile *profile, const struct profile_location *location,
		      struct frame *ret_frame)
{
	return frame_of(profile, location, frame_count(location) - 1, ret_frame);
}

void frame_done(struct frame *frame)
{
	free(frame->name);
	*frame = (struct frame){0};
}
