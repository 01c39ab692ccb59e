/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_RANDOM_PROFILE_H
#define PROFIL_TESTS_RANDOM_PROFILE_H

#include "dice.h"
#include "profile/profile.h"
#include "samples.h"

/* Profiles by chance, all from the same few things, so that they meet; include it behind cmocka.h.
 */

static inline const char *pick(uint64_t *dice, const char *const *texts, size_t count)
{
	return texts[dice_below(dice, count)];
}

#define PICK(dice, ...)                                \
	pick(dice, (const char *const[]){__VA_ARGS__}, \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static inline uint32_t random_mapping(uint64_t *dice, struct profile *profile)
{
	static const char *const spaces[PROFILE_CLASSES] = {
		[CLASS_KERNEL] = "[kernel]",
		[CLASS_VDSO] = "[vdso]",
		[CLASS_ANONYMOUS] = "[anon] node (7)",
		[CLASS_UNRESOLVED] = "[unresolved]",
		[CLASS_IDLE] = "[idle]",
	};
	struct profile_mapping mapping = {
		.class = (enum profile_class)dice_below(dice, PROFILE_CLASSES),
		.limit = UINT64_MAX,
	};
	uint32_t index;

	if (spaces[mapping.class]) {
		mapping.path = samples_text(profile, spaces[mapping.class]);
	} else {
		mapping.path = samples_text(profile, PICK(dice, "/bin/a", "/opt/a", "/lib/b"));
		mapping.build_id = samples_text(profile, PICK(dice, "", "c0de", "feed"));
		mapping.note = samples_text(profile, PICK(dice, "", "", "changed"));
		mapping.start = dice_below(dice, 2) << 12;
		mapping.identity.device = dice_below(dice, 2);
		mapping.identity.inode = 11;
	}
	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
	return index;
}

static inline void random_lines(uint64_t *dice, struct profile *profile,
				struct profile_location *location)
{
	uint32_t index;

	location->first_line = (uint32_t)profile->line_count;
	location->line_count = (uint32_t)dice_below(dice, 3);
	for (uint32_t i = 0; i < location->line_count; i++) {
		struct profile_function function = {
			.name = samples_text(profile, PICK(dice, "f", "g", "a+0x10", "h")),
			.file = samples_text(profile, PICK(dice, "", "f.c")),
		};
		struct profile_line line = {.line = (uint32_t)dice_below(dice, 2)};

		if (!profile_says_address(profile_text(profile, function.name)))
			function.system_name = function.name;
		assert_int_equal(profile_add_function(profile, &function, &line.function), 0);
		assert_int_equal(profile_add_line(profile, &line, &index), 0);
	}
	if (!location->line_count)
		location->first_line = 0;
}

static inline uint32_t random_task(uint64_t *dice, struct profile *profile)
{
	struct profile_task task = {.pid = 7 + (uint32_t)dice_below(dice, 2)};
	uint32_t index = PROFILE_NO_TASK;

	task.tid = (uint32_t)dice_below(dice, 2) * task.pid;
	task.name = samples_text(profile, PICK(dice, "sh", "node"));
	task.title = samples_text(profile, PICK(dice, "", "node a.js", "node b.js"));
	task.cpu = (uint32_t)dice_below(dice, 3);
	task.cgroup = samples_text(profile, PICK(dice, "", "/", "/a.slice"));
	if (dice_below(dice, 2))
		assert_int_equal(profile_add_task(profile, &task, &index), 0);
	return index;
}

/* Who called CELL: nobody is known, or what was called before, or one more that it called. */
static inline void random_stack(uint64_t *dice, struct profile *profile, struct profile_cell *cell)
{
	struct profile_context context = {
		.parent = (uint32_t)dice_below(dice, profile->context_count + 1),
		.location = (uint32_t)dice_below(dice, profile->location_count),
		.interrupted = !dice_below(dice, 5),
		.folded = !dice_below(dice, 5),
	};
	uint32_t index;

	if (dice_below(dice, 2))
		assert_int_equal(profile_add_context(profile, &context, &index), 0);
	cell->context = (uint32_t)dice_below(dice, profile->context_count + 1);
	cell->stack_end = STACK_WHOLE;
	if (!dice_below(dice, 4))
		cell->stack_end = (enum stack_end)dice_below(dice, STACK_ENDS);
	if (cell->context && cell->stack_end == STACK_NONE)
		cell->stack_end = STACK_WHOLE;
}

static inline void random_cell(uint64_t *dice, struct profile *profile)
{
	struct profile_location location = {
		.mapping = random_mapping(dice, profile),
		.address = 0x10 * dice_below(dice, 3),
	};
	struct profile_cell cell = {.ticks = dice_below(dice, 100)};

	if (profile->mappings[location.mapping].class == CLASS_UNRESOLVED) {
		location.kind = LOCATION_UNRESOLVED;
		location.address = dice_below(dice, UNRESOLVED_REASONS);
	} else if (!dice_below(dice, 10)) {
		location.kind = LOCATION_OVERFLOW;
	}
	if (!dice_below(dice, 50))
		cell.ticks = TICKS_MAX - dice_below(dice, 100);
	random_lines(dice, profile, &location);
	cell.task = random_task(dice, profile);
	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	if (dice_below(dice, 3))
		random_stack(dice, profile, &cell);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
	profile->facts.samples = ticks_add(profile->facts.samples, cell.ticks);
}

/* Beside its samples other values, at places that have samples and at some that have none. */
static inline void random_amounts(uint64_t *dice, struct profile *profile)
{
	size_t values = dice_below(dice, 3), amounts = dice_below(dice, 6);
	uint32_t index;

	for (size_t i = 0; i < values; i++) {
		struct profile_value value = {
			.type = samples_text(profile, PICK(dice, "blocked", "allocated", "held")),
			.unit = samples_text(profile, PICK(dice, "nanoseconds", "bytes")),
		};

		assert_int_equal(profile_add_value(profile, &value, &index), 0);
	}
	for (size_t i = 0; values && profile->cell_count && i < amounts; i++) {
		struct profile_cell amount = profile->cells[dice_below(dice, profile->cell_count)];

		amount.value = (uint32_t)(1 + dice_below(dice, values)) & PROFILE_VALUES_MAX;
		amount.ticks = dice_below(dice, 2) ? dice_below(dice, 3) : TICKS_MAX / 3;
		if (!dice_below(dice, 3))
			amount.location = (uint32_t)dice_below(dice, profile->location_count);
		assert_int_equal(profile_add_cell(profile, &amount), 0);
	}
}

/* Between any two places of it, or from nowhere. */
static inline void random_call(uint64_t *dice, struct profile *profile)
{
	struct profile_call call = {
		.caller = PROFILE_NO_CALLER,
		.callee = (uint32_t)dice_below(dice, profile->location_count),
		.count = dice_below(dice, 100),
	};

	if (dice_below(dice, 4))
		call.caller = (uint32_t)dice_below(dice, profile->location_count);
	if (!dice_below(dice, 20))
		call.count = TICKS_MAX - dice_below(dice, 100);
	assert_int_equal(profile_add_call(profile, &call), 0);
}

static inline void random_facts(uint64_t *dice, struct profile *profile)
{
	struct profile_facts *facts = &profile->facts;

	facts->command =
		samples_text(profile, PICK(dice, "gcc -c a.c", "gcc -c a.c", "gcc -c b.c", "gcc -c",
					   "gcc …", "gcc -c … …", "gcc … x", "ld", ""));
	facts->engine = samples_text(profile, PICK(dice, "kernel", "kernel", "perf"));
	facts->clock = samples_text(profile, PICK(dice, "machine", "task"));
	facts->system = samples_text(profile, PICK(dice, "Linux 6.1", "Linux 6.1", ""));
	facts->time_ns = (int64_t)dice_below(dice, 1000);
	facts->duration_ns = dice_below(dice, 3) * INT64_MAX / 2;
	facts->cpu_ns = dice_below(dice, 4) * 1000000;
	facts->stolen_ns = dice_below(dice, 2) * UINT64_MAX;
	facts->machine_ns = dice_below(dice, 3) * 1000;
	facts->idle_ns = facts->machine_ns / 2;
	facts->cell_limit = 64 + dice_below(dice, 2);
	facts->partial = !dice_below(dice, 3);
	facts->foreign = !dice_below(dice, 3);
	facts->period_ns = 1003019;
	if (dice_below(dice, 3))
		return;
	facts->asked_ns = facts->period_ns;
	facts->period_ns = facts->samples ? 1003019 - 5000 + dice_below(dice, 10000) : 1003019;
	if (facts->samples < 10000)
		facts->samples_ns = facts->samples * facts->period_ns + facts->samples / 2;
}

static inline struct profile *random_profile(uint64_t *dice)
{
	struct profile *profile = profile_new();
	size_t cells = dice_below(dice, 12);

	assert_non_null(profile);
	profile->facts.event = samples_text(profile, "cpu-clock");
	for (size_t i = 0; i < cells; i++)
		random_cell(dice, profile);
	for (size_t i = profile->location_count ? dice_below(dice, 6) : 0; i; i--)
		random_call(dice, profile);
	random_facts(dice, profile);
	return profile;
}

#endif
