/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_SAMPLE_H
#define PROFIL_TESTS_SAMPLE_H

#include "profile/profile.h"

#include <assert.h>

/* A profile made by hand, with one of everything a report has to show. */

static inline uint32_t sample_string(struct profile *profile, const char *text)
{
	uint32_t id;

	assert(profile_string(profile, text, &id) == 0);
	return id;
}

static inline uint32_t sample_mapping(struct profile *profile, enum profile_class class,
				      const char *path, const char *note, uint64_t start)
{
	struct profile_mapping mapping = {.class = class,
					  .path = sample_string(profile, path),
					  .note = sample_string(profile, note),
					  .start = start,
					  .limit = start + 0x100000};
	uint32_t index;

	assert(profile_add_mapping(profile, &mapping, &index) == 0);
	return index;
}

/* Add a frame to the newest location; the first one is the innermost. */
static inline void sample_frame(struct profile *profile, const char *name, const char *file,
				uint32_t number)
{
	struct profile_location *location = &profile->locations[profile->location_count - 1];
	struct profile_function function = {.name = sample_string(profile, name),
					    .file = sample_string(profile, file)};
	struct profile_line line = {.line = number};
	uint32_t index;

	if (!profile_says_address(name))
		function.system_name = function.name;
	assert(profile_add_function(profile, &function, &line.function) == 0);
	assert(profile_add_line(profile, &line, &index) == 0);
	if (!location->line_count++)
		location->first_line = index;
}

static inline void sample_cell(struct profile *profile, uint32_t task, uint64_t ticks)
{
	struct profile_cell cell = {
		.location = (uint32_t)profile->location_count - 1, .task = task, .ticks = ticks};

	assert(profile_add_cell(profile, &cell) == 0);
	profile->facts.samples += ticks;
}

static inline void sample_location(struct profile *profile, enum location_kind kind,
				   uint32_t mapping, uint64_t address)
{
	struct profile_location location = {.kind = kind, .mapping = mapping, .address = address};
	uint32_t index;

	assert(profile_add_location(profile, &location, &index) == 0);
}

static inline uint32_t sample_task(struct profile *profile, uint32_t pid, uint32_t tid,
				   const char *name)
{
	struct profile_task task = {.pid = pid, .tid = tid, .name = sample_string(profile, name)};
	uint32_t index;

	assert(profile_add_task(profile, &task, &index) == 0);
	return index;
}

/* The cells of the library and of the program, in two tasks where TASKS. */
static inline void sample_code(struct profile *profile, const uint32_t tasks[2])
{
	uint32_t xz = sample_mapping(profile, CLASS_PROGRAM, "/usr/bin/xz", "", 0x1000);
	uint32_t lzma = sample_mapping(profile, CLASS_LIBRARIES, "/lib/liblzma.so.5", "", 0x2000);
	uint32_t more = sample_mapping(profile, CLASS_LIBRARIES, "/lib/liblzma.so.5", "", 0x900000);

	sample_location(profile, LOCATION_ADDRESS, lzma, 0x2010);
	sample_frame(profile, "lzma_mf_bt4_find", "src/lz/mf.c", 521);
	sample_cell(profile, tasks[0], 1200);
	sample_cell(profile, tasks[1], 800);
	sample_location(profile, LOCATION_ADDRESS, lzma, 0x2020);
	sample_frame(profile, "lzma_mf_bt4_find", "src/lz/mf.c", 530);
	sample_cell(profile, tasks[1], 87);
	sample_location(profile, LOCATION_ADDRESS, more, 0x900010);
	sample_frame(profile, "rc_shift_low", "src/rc.h", 70);
	sample_frame(profile, "lzma_encode", "src/enc.c", 410);
	sample_cell(profile, tasks[0], 640);
	sample_location(profile, LOCATION_ADDRESS, more, 0x900020);
	sample_frame(profile, "lzma_encode", "src/enc.c", 411);
	sample_cell(profile, tasks[0], 210);
	sample_location(profile, LOCATION_OVERFLOW, lzma, 0);
	sample_cell(profile, PROFILE_NO_TASK, 12);
	sample_location(profile, LOCATION_ADDRESS, xz, 0x1040);
	sample_frame(profile, "lzma_encode", "", 0);
	sample_cell(profile, tasks[0], 100);
	sample_location(profile, LOCATION_ADDRESS, xz, 0x1050);
	sample_frame(profile,
		     "std::vector<std::pair<unsigned long, std::string>, std::allocator<char>>"
		     "::emplace_back(unsigned long&&)",
		     "", 0);
	sample_cell(profile, tasks[1], 6);
}

static inline void sample_rest(struct profile *profile, const uint32_t tasks[2])
{
	uint32_t kernel = sample_mapping(profile, CLASS_KERNEL, "[kernel]", "", 0xffffffff81000000);
	uint32_t vdso = sample_mapping(profile, CLASS_VDSO, "[vdso]", "", 0);
	uint32_t anon = sample_mapping(profile, CLASS_ANONYMOUS, "[anon]", "", 0x7f0000000000);
	uint32_t none = sample_mapping(profile, CLASS_UNRESOLVED, "[unresolved]", "", 0);
	uint32_t old =
		sample_mapping(profile, CLASS_LIBRARIES, "/opt/libold.so",
			       "changed since it ran: its addresses are shown as they are", 0x4000);

	sample_location(profile, LOCATION_ADDRESS, kernel, 0xffffffff81000040);
	sample_frame(profile, "clear_page_erms", "", 0);
	sample_cell(profile, tasks[0], 191);
	sample_location(profile, LOCATION_ADDRESS, vdso, 0x640);
	sample_frame(profile, "__vdso_clock_gettime", "", 0);
	sample_cell(profile, tasks[1], 1);
	sample_location(profile, LOCATION_ADDRESS, anon, 0x7f0000000010);
	sample_frame(profile, "jit\033[31m\n", "", 0);
	sample_cell(profile,
		    tasks[0] == PROFILE_NO_TASK ? sample_task(profile, 70, 0, "jit") : tasks[0], 2);
	sample_location(profile, LOCATION_ADDRESS, old, 0x4010);
	sample_cell(profile, tasks[0], 30);
	sample_location(profile, LOCATION_UNRESOLVED, none, UNRESOLVED_MAP_BUSY);
	sample_cell(profile, PROFILE_NO_TASK, 3);
}

/* Something that is counted beside samples; its number among the values and 1. */
static inline uint32_t sample_value(struct profile *profile, const char *type, const char *unit)
{
	struct profile_value value = {sample_string(profile, type), sample_string(profile, unit)};
	uint32_t index;

	assert(profile_add_value(profile, &value, &index) == 0);
	return index + 1;
}

static inline struct profile *sample_profile(bool by_thread)
{
	struct profile *profile = profile_new();
	uint32_t tasks[2] = {PROFILE_NO_TASK, PROFILE_NO_TASK};

	assert(profile);
	if (by_thread) {
		tasks[1] = sample_task(profile, 41, 43, "worker");
		tasks[0] = sample_task(profile, 41, 41, "xz");
	}
	sample_code(profile, tasks);
	sample_rest(profile, tasks);
	profile->facts.producer = sample_string(profile, "profil 0");
	profile->facts.command = sample_string(profile, "xz -9k file");
	profile->facts.engine = sample_string(profile, "kernel");
	profile->facts.event = sample_string(profile, "cpu-clock");
	profile->facts.clock = sample_string(profile, "machine");
	profile->facts.system = sample_string(profile, "6.1 x86_64");
	profile->facts.duration_ns = 1801000000;
	profile->facts.period_ns = 1003009;
	profile->facts.cpu_ns = profile->facts.samples * profile->facts.period_ns + 1000000;
	profile->facts.cell_limit = 64;
	return profile;
}

#endif
