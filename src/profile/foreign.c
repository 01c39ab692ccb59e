// SPDX-License-Identifier: BSD-2-Clause
#include "profile/foreign.h"

#include "profile/counts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Text, not NUL-terminated. */
struct piece {
	const char *start;
	size_t size;
};

struct known_name {
	const char *start; /* of the path or of its base name */
	enum profile_class class;
};

static const struct known_name known_names[] = {
	{"[kernel", CLASS_KERNEL},    {"[guest.kernel", CLASS_KERNEL},
	{"vmlinux", CLASS_KERNEL},    {"[vdso", CLASS_VDSO},
	{"linux-vdso", CLASS_VDSO},   {"[anon", CLASS_ANONYMOUS},
	{"//anon", CLASS_ANONYMOUS},  {"[JIT]", CLASS_ANONYMOUS},
	{"[heap]", CLASS_ANONYMOUS},  {"[stack", CLASS_ANONYMOUS},
	{"/memfd:", CLASS_ANONYMOUS}, {"/dev/zero", CLASS_ANONYMOUS},
	{"/SYSV", CLASS_ANONYMOUS},   {"[unresolved]", CLASS_UNRESOLVED},
	{"[idle]", CLASS_IDLE},	      {"[python]", CLASS_PYTHON},
	{"[dos]", CLASS_DOS},	      {"[io]", CLASS_IO},
	{"[high]", CLASS_HIGH},	      {"[waiting]", CLASS_TIME},
	{"[lives]", CLASS_TIME},
};

static bool starts(struct piece text, const char *start)
{
	size_t size = strlen(start);

	return text.size >= size && !memcmp(text.start, start, size);
}

/* "perf-12.map" */
static bool is_perf_map(struct piece base)
{
	size_t digits = 0;

	if (!starts(base, "perf-"))
		return false;
	while (5 + digits < base.size && isdigit((unsigned char)base.start[5 + digits]))
		digits++;
	return digits && base.size == 5 + digits + 4 && !memcmp(base.start + 5 + digits, ".map", 4);
}

/* The class that a name stands for, or PROFILE_CLASSES. */
static enum profile_class class_of_name(struct piece path)
{
	const char *slash = memrchr(path.start, '/', path.size);
	struct piece base = path;

	if (slash)
		base = (struct piece){slash + 1, path.size - (size_t)(slash + 1 - path.start)};
	if (is_perf_map(base))
		return CLASS_ANONYMOUS;
	for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++)
		if (starts(path, known_names[i].start) || starts(base, known_names[i].start))
			return known_names[i].class;
	return PROFILE_CLASSES;
}

bool foreign_is_anonymous(const char *path, size_t size)
{
	return class_of_name((struct piece){path, size}) == CLASS_ANONYMOUS;
}

/* pprof's custom: the first mapping is the program. */
static enum profile_class class_of(const struct profile *profile, size_t index)
{
	const char *path = profile_text(profile, profile->mappings[index].path);
	enum profile_class class = class_of_name((struct piece){path, strlen(path)});

	if (class != PROFILE_CLASSES)
		return class;
	return index ? CLASS_LIBRARIES : CLASS_PROGRAM;
}

/* profil's own, which lost its facts on the way: the address is still the reason. */
static void settle_unresolved(struct profile *profile)
{
	for (size_t i = 0; i < profile->location_count; i++) {
		struct profile_location *location = &profile->locations[i];

		if (profile->mappings[location->mapping].class == CLASS_UNRESOLVED &&
		    location->address < UNRESOLVED_REASONS)
			location->kind = LOCATION_UNRESOLVED;
	}
}

/* Where there are call stacks, all are whole that do not say more. */
static void settle_stacks(struct profile *profile)
{
	if (!profile->context_count)
		return;
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].stack_end == STACK_NONE)
			profile->cells[i].stack_end = STACK_WHOLE;
}

/* Samples that nothing tells apart have become equal cells: add them up.  Returns all of them. */
static uint64_t add_up(struct profile *profile)
{
	struct profile_cell *cells = profile->cells;
	size_t count = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->cell_count; i++) {
		sum = ticks_add(sum, cells[i].ticks);
		if (cells[i].ticks)
			cells[count++] = cells[i];
	}
	profile->cell_count = counts_add_cells(cells, count);
	return sum;
}

void foreign_settle(struct profile *profile)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		profile->mappings[i].class = class_of(profile, i);
	settle_unresolved(profile);
	settle_stacks(profile);
	profile->facts.samples = add_up(profile);
	profile->facts.foreign = true;
}
