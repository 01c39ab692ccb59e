/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_STACKS_H
#define PROFIL_TESTS_UNIT_STACKS_H

/* Call stacks of the functions of graphs.h, behind which it is included. */

/* A stack, callers first: "abc" is a called b called c, where the sample was. */
static inline void stacks_add(struct profile *profile, const char *functions, enum stack_end end,
			      uint64_t count)
{
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = count, .stack_end = end};
	uint32_t index;

	for (; functions[1]; functions++) {
		struct profile_context context = {.parent = cell.context,
						  .location = (uint32_t)(*functions - 'a')};

		assert_int_equal(profile_add_context(profile, &context, &index), 0);
		cell.context = index + 1;
	}
	cell.location = (uint32_t)(*functions - 'a');
	assert_int_equal(profile_add_cell(profile, &cell), 0);
}

#endif
