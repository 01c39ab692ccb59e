/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_GRAPHS_H
#define PROFIL_TESTS_UNIT_GRAPHS_H

/* Profiles of functions called a, b, c ..., with their calls; include it behind cmocka.h. */

#include "analysis/callgraph.h"

#include "samples.h"

#include <math.h>
#include <stdio.h>

/* Of each function one location, whose number is its own. */
static inline struct profile *functions(size_t count)
{
	static const struct file_identity none;
	struct profile *profile = profile_new();

	assert_non_null(profile);
	samples_mapping(profile, CLASS_PROGRAM, "/bin/p", "", "", &none);
	for (uint32_t i = 0; i < count; i++) {
		struct profile_function function = {.start_line = 1};
		struct profile_line line = {.function = i};
		struct profile_location location = {
			.address = 0x10 * i, .first_line = i, .line_count = 1};
		char name[16];
		uint32_t index;

		if (i < 26)
			(void)snprintf(name, sizeof(name), "%c", 'a' + (char)i);
		else
			(void)snprintf(name, sizeof(name), "f%u", i);
		function.name = function.system_name = samples_text(profile, name);
		assert_int_equal(profile_add_function(profile, &function, &index), 0);
		assert_int_equal(profile_add_line(profile, &line, &index), 0);
		assert_int_equal(profile_add_location(profile, &location, &index), 0);
	}
	return profile;
}

static inline void ticks(struct profile *profile, char function, uint64_t count)
{
	struct profile_cell cell = {
		.location = (uint32_t)(function - 'a'), .task = PROFILE_NO_TASK, .ticks = count};

	assert_int_equal(profile_add_cell(profile, &cell), 0);
}

/* CALLER '-' is nobody. */
static inline void calls(struct profile *profile, char caller, char callee, uint64_t count)
{
	samples_call(profile, caller == '-' ? PROFILE_NO_CALLER : (uint32_t)(caller - 'a'),
		     (uint32_t)(callee - 'a'), count);
}

static inline struct callgraph *graph_of(const struct profile *profile)
{
	struct callgraph *graph;

	assert_int_equal(callgraph_build(profile, &graph), 0);
	return graph;
}

static inline void check(double have, double wanted)
{
	if (fabs(have - wanted) > 1e-9 * (1 + fabs(wanted)))
		fail_msg("%.17g is not %.17g", have, wanted);
}

#endif
