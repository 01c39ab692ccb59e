/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_DIFFS_H
#define PROFIL_TESTS_UNIT_DIFFS_H

/* Profiles of a few functions, and what differs between two; include it behind cmocka.h. */

#include "analysis/diff.h"

#include "sample.h"

#include <math.h>
#include <string.h>

static inline struct profile *diffs_profile(const char *path, const char *build_id,
					    enum profile_class class)
{
	struct profile *profile = profile_new();
	uint32_t mapping = sample_mapping(profile, class, path, "", 0x1000);

	profile->mappings[mapping].build_id = sample_string(profile, build_id);
	profile->facts.event = sample_string(profile, "cpu-clock");
	profile->facts.period_ns = 1000000;
	return profile;
}

static inline void diffs_mapping(struct profile *profile, const char *path, const char *build_id)
{
	uint32_t mapping = sample_mapping(profile, CLASS_LIBRARIES, path, "", 0x9000);

	profile->mappings[mapping].build_id = sample_string(profile, build_id);
}

/* Ticks in the newest mapping at ADDRESS, in FUNCTION, which is inlined into INTO where given. */
static inline void diffs_add(struct profile *profile, uint64_t address, const char *function,
			     const char *into, uint64_t ticks)
{
	sample_location(profile, LOCATION_ADDRESS, (uint32_t)profile->mapping_count - 1, address);
	if (*function)
		sample_frame(profile, function, "src/a.c", (uint32_t)address);
	if (into)
		sample_frame(profile, into, "src/b.c", 7);
	sample_cell(profile, PROFILE_NO_TASK, ticks);
}

static inline struct diff *diffs_compare_as(struct profile *before, struct profile *after,
					    const struct diff_options *options)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{&before, 1}, {&after, 1}};
	struct error error = {""};
	struct diff *diff = NULL;

	if (diff_build(sides, options, &diff, &error))
		fail_msg("%s", error.text);
	(void)profile_free(before);
	(void)profile_free(after);
	return diff;
}

static inline struct diff *diffs_compare(struct profile *before, struct profile *after)
{
	return diffs_compare_as(before, after, &(struct diff_options){.by = TABLE_BY_FUNCTION});
}

static inline const struct diff_row *diffs_find(const struct diff *diff, const char *name)
{
	const struct diff_row *found = NULL;

	for (size_t i = 0; i < diff->row_count; i++) {
		if (strcmp(diff->rows[i].name, name) != 0)
			continue;
		assert_null(found);
		found = &diff->rows[i];
	}
	if (!found)
		fail_msg("no row %s", name);
	return found;
}

static inline void diffs_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.12g is not %.12g", value, expected);
}

#endif
