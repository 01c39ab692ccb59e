// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profile.h"

#include "base/array.h"
#include "profile/replace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_names[PROFILE_CLASSES] = {
	[CLASS_PROGRAM] = "program",
	[CLASS_LIBRARIES] = "libraries",
	[CLASS_KERNEL] = "kernel",
	[CLASS_VDSO] = "vdso",
	[CLASS_ANONYMOUS] = "anonymous",
	[CLASS_UNRESOLVED] = "unresolved",
	[CLASS_IDLE] = "idle",
	[CLASS_DOS] = "dos",
	[CLASS_IO] = "I/O",
	[CLASS_HIGH] = "high",
	[CLASS_PYTHON] = "python",
	[CLASS_TIME] = "time",
};

const char *profile_class_name(enum profile_class class)
{
	return class < PROFILE_CLASSES ? class_names[class] : "unknown";
}

unsigned profile_privacy(const struct profile *profile)
{
	if (profile->is_private)
		return REPLACE_PRIVATE;
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		/* At address 0 is what the kernel hides. */
		if (location->kind == LOCATION_ADDRESS && location->address &&
		    profile->mappings[location->mapping].class == CLASS_KERNEL)
			return REPLACE_PRIVATE;
	}
	return 0;
}

struct profile *profile_new(void)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (!profile)
		return NULL;
	profile->strings = strings_new();
	return profile->strings ? profile : profile_free(profile);
}

struct profile *profile_free(struct profile *profile)
{
	if (!profile)
		return NULL;
	strings_free(profile->strings);
	free(profile->mappings);
	free(profile->locations);
	free(profile->lines);
	free(profile->functions);
	free(profile->tasks);
	free(profile->cells);
	free(profile->values);
	free(profile->amounts);
	free(profile->contexts);
	free(profile->calls);
	free(profile);
	return NULL;
}

int profile_string(struct profile *profile, const char *text, uint32_t *ret_id)
{
	return strings_add(profile->strings, text, strlen(text), ret_id);
}

const char *profile_text(const struct profile *profile, uint32_t id)
{
	return strings_get(profile->strings, id);
}

bool profile_says_address(const char *name)
{
	const char *plus = strrchr(name, '+');

	return plus && !strncmp(plus, "+0x", 3) && plus[3] &&
	       !plus[3 + strspn(plus + 3, "0123456789abcdef")];
}

uint32_t profile_anonymous_pid(const char *path, uint32_t *ret_exec)
{
	const char *pid = strrchr(path, '(');
	unsigned long number;
	char *end;

	*ret_exec = 0;
	if (!pid || strncmp(path, "[anon] ", 7) != 0)
		return 0;
	number = strtoul(pid + 1, &end, 10);
	if (!strncmp(end, ", exec ", 7))
		*ret_exec = (uint32_t)strtoul(end + 7, NULL, 10);
	return (uint32_t)number;
}

/* An index is 32 bits wide, and UINT32_MAX means "none". */
static int append(void **items, size_t *count, size_t *capacity, const void *item, size_t size,
		  uint32_t *ret_index)
{
	if (*count >= UINT32_MAX || array_reserve(items, capacity, *count + 1, size))
		return -ENOMEM;
	memcpy((char *)*items + *count * size, item, size);
	*ret_index = (uint32_t)(*count)++;
	return 0;
}

#define APPEND(profile, what, ret_index)                               \
	append((void **)&(profile)->what##s, &(profile)->what##_count, \
	       &(profile)->what##_capacity, what, sizeof(*what), ret_index)

int profile_add_mapping(struct profile *profile, const struct profile_mapping *mapping,
			uint32_t *ret_index)
{
	return APPEND(profile, mapping, ret_index);
}

int profile_add_location(struct profile *profile, const struct profile_location *location,
			 uint32_t *ret_index)
{
	return APPEND(profile, location, ret_index);
}

int profile_add_function(struct profile *profile, const struct profile_function *function,
			 uint32_t *ret_index)
{
	return APPEND(profile, function, ret_index);
}

int profile_add_line(struct profile *profile, const struct profile_line *line, uint32_t *ret_index)
{
	return APPEND(profile, line, ret_index);
}

int profile_add_task(struct profile *profile, const struct profile_task *task, uint32_t *ret_index)
{
	return APPEND(profile, task, ret_index);
}

int profile_add_context(struct profile *profile, const struct profile_context *context,
			uint32_t *ret_index)
{
	return APPEND(profile, context, ret_index);
}

int profile_add_value(struct profile *profile, const struct profile_value *value,
		      uint32_t *ret_index)
{
	if (profile->value_count >= PROFILE_VALUES_MAX)
		return -ENOMEM;
	return APPEND(profile, value, ret_index);
}

int profile_add_cell(struct profile *profile, const struct profile_cell *cell)
{
	const struct profile_cell *amount = cell;
	uint32_t index;

	return cell->value ? APPEND(profile, amount, &index) : APPEND(profile, cell, &index);
}

int profile_add_call(struct profile *profile, const struct profile_call *call)
{
	uint32_t index;

	return APPEND(profile, call, &index);
}

static void list_classes(const struct profile *profile, struct profile_account *account)
{
	bool is_dos = false;

	for (size_t i = 0; i < profile->mapping_count; i++)
		is_dos |= profile->mappings[i].class >= CLASS_DOS &&
			  profile->mappings[i].class <= CLASS_HIGH;
	for (int i = 0; i < PROFILE_CLASSES; i++) {
		bool of_dos = i == CLASS_PROGRAM || (i >= CLASS_DOS && i <= CLASS_HIGH);

		account->listed[i] = account->ticks[i] || (is_dos ? of_dos : i < CLASS_IDLE);
	}
}

static void add(uint64_t *sum, uint64_t ticks)
{
	*sum = ticks_add(*sum, ticks);
}

void profile_account(const struct profile *profile, struct profile_account *ret_account)
{
	memset(ret_account, 0, sizeof(*ret_account));
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];

		add(&ret_account->ticks[profile->mappings[location->mapping].class], cell->ticks);
		add(&ret_account->total, cell->ticks);
		if (location->kind == LOCATION_OVERFLOW)
			add(&ret_account->overflow, cell->ticks);
		if (location->kind == LOCATION_UNRESOLVED && location->address < UNRESOLVED_REASONS)
			add(&ret_account->unresolved[location->address], cell->ticks);
	}
	list_classes(profile, ret_account);
}

bool profile_is_code(const struct profile *profile, const struct profile_location *location)
{
	enum profile_class class = profile->mappings[location->mapping].class;

	return location->kind == LOCATION_ADDRESS && class != CLASS_IDLE && class != CLASS_PYTHON &&
	       class != CLASS_TIME;
}

uint32_t profile_counts(const struct profile *profile, enum histogram_value value)
{
	const char *type = histogram_value_type(value);

	for (uint32_t i = 0; i < profile->value_count; i++)
		if (!strcmp(profile_text(profile, profile->values[i].type), type))
			return i + 1;
	return 0;
}

bool profile_has_names(const struct profile *profile)
{
	for (size_t i = 0; i < profile->location_count; i++)
		if (profile->locations[i].line_count)
			return true;
	return false;
}

const struct profile_function *profile_function_of(const struct profile *profile,
						   const struct profile_location *location)
{
	uint32_t last = location->first_line + location->line_count - 1;

	if (location->kind != LOCATION_ADDRESS || !location->line_count)
		return NULL;
	return &profile->functions[profile->lines[last].function];
}

const struct profile_function *profile_inlined_at(const struct profile *profile,
						  const struct profile_location *location)
{
	if (location->kind != LOCATION_ADDRESS || location->line_count < 2)
		return NULL;
	return &profile->functions[profile->lines[location->first_line].function];
}
