// SPDX-License-Identifier: BSD-2-Clause
#include "profile/facts.h"

#include "base/array.h"
#include "profile/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CHECK_KEY "#profil.check"
#define MAPPING_PREFIX "#profil.mapping."
#define LOCATION_PREFIX "#profil.location."

typedef int read_one(struct profile *profile, size_t index, const char *key, const char *value);

/* ---- facts on the whole ---- */

enum fact_kind {
	FACT_TEXT,
	FACT_NUMBER,
	FACT_FLAG,
};

struct fact {
	const char *key;
	enum fact_kind kind;
	size_t offset; /* in struct profile_facts */
};

#define FACT(kind, key, member)                                                    \
	{                                                                          \
		"profil." key, FACT_##kind, offsetof(struct profile_facts, member) \
	}

static const struct fact facts[] = {
	FACT(TEXT, "producer", producer),
	FACT(TEXT, "command", command),
	FACT(TEXT, "engine", engine),
	FACT(TEXT, "event", event),
	FACT(TEXT, "clock", clock),
	FACT(TEXT, "system", system),
	FACT(TEXT, "unknown_python", unknown_python),
	FACT(NUMBER, "runs", runs),
	FACT(TEXT, "no_stacks", no_stacks),
	FACT(NUMBER, "period", period),
	FACT(NUMBER, "counted", counted),
	FACT(NUMBER, "counters", counters),
	FACT(NUMBER, "asked_ns", asked_ns),
	FACT(NUMBER, "samples_ns", samples_ns),
	FACT(NUMBER, "samples", samples),
	FACT(NUMBER, "cpu_ns", cpu_ns),
	FACT(NUMBER, "remainder_ns", remainder_ns),
	FACT(NUMBER, "stolen_ns", stolen_ns),
	FACT(NUMBER, "machine_ns", machine_ns),
	FACT(NUMBER, "idle_ns", idle_ns),
	FACT(NUMBER, "tasks", task_total),
	FACT(NUMBER, "not_followed", not_followed),
	FACT(NUMBER, "untold", untold),
	FACT(NUMBER, "cpus_joined", cpus_joined),
	FACT(NUMBER, "unclocked_ns", unclocked_ns),
	FACT(NUMBER, "left_running", left_running),
	FACT(NUMBER, "cell_limit", cell_limit),
	FACT(NUMBER, "cell_size", cell_size),
	FACT(NUMBER, "wall.threads", wall[WALL_THREADS]),
	FACT(NUMBER, "wall.still_blocked", wall[WALL_STILL_BLOCKED]),
	FACT(NUMBER, "wall.outside", wall[WALL_OUTSIDE]),
	FACT(NUMBER, "wall.over_ns", wall[WALL_OVER_NS]),
	FACT(NUMBER, "wall.under_ns", wall[WALL_UNDER_NS]),
	FACT(NUMBER, "wall.sampled_ns", wall[WALL_SAMPLED_NS]),
	FACT(NUMBER, "wall.full_ns", wall[WALL_FULL_NS]),
	FACT(NUMBER, "wall.missed_in", wall[WALL_MISSED_IN]),
	FACT(NUMBER, "wall.missed_out", wall[WALL_MISSED_OUT]),
	FACT(NUMBER, "wall.missed_wake", wall[WALL_MISSED_WAKE]),
	FACT(NUMBER, "wall.missed_switch", wall[WALL_MISSED_SWITCH]),
	FACT(NUMBER, "wall.missed_nested", wall[WALL_MISSED_NESTED]),
	FACT(NUMBER, "wall.backwards", wall[WALL_BACKWARDS]),
	FACT(NUMBER, "wall.seeded", wall[WALL_SEEDED]),
	FACT(NUMBER, "wall.not_followed", wall[WALL_NOT_FOLLOWED]),
	FACT(FLAG, "cpu_at_least", cpu_at_least),
	FACT(FLAG, "partial", partial),
	FACT(FLAG, "part", part),
	FACT(FLAG, "foreign", foreign),
};

__attribute__((format(printf, 3, 4))) static int say(facts_take *take, void *context,
						     const char *format, ...)
{
	va_list args;
	char *text;
	int length, ret;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0)
		return -ENOMEM;
	ret = take(context, text);
	free(text);
	return ret;
}

/* What is 0, false or "" is left out. */
static int write_fact(const struct profile *profile, const struct fact *fact, facts_take *take,
		      void *context)
{
	const void *member = (const char *)&profile->facts + fact->offset;

	if (fact->kind == FACT_TEXT) {
		const char *text = profile_text(profile, *(const uint32_t *)member);

		return *text ? say(take, context, "%s: %s", fact->key, text) : 0;
	}
	if (fact->kind == FACT_FLAG)
		return *(const bool *)member ? say(take, context, "%s: 1", fact->key) : 0;
	if (!*(const uint64_t *)member)
		return 0;
	return say(take, context, "%s: %" PRIu64, fact->key, *(const uint64_t *)member);
}

/* Digits and no more, from *TEXT on, which is moved behind them. */
static int take_number(const char **text, int base, uint64_t *ret_value)
{
	char *end;

	if (**text < '0' || (**text > '9' && base == 10))
		return -EBADMSG;
	errno = 0;
	*ret_value = strtoull(*text, &end, base);
	if (errno || end == *text)
		return -EBADMSG;
	*text = end;
	return 0;
}

static int read_fact(struct profile *profile, const struct fact *fact, const char *value)
{
	void *member = (char *)&profile->facts + fact->offset;
	uint64_t number;

	if (fact->kind == FACT_TEXT)
		return profile_string(profile, value, member);
	if (take_number(&value, 10, &number) || *value)
		return -EBADMSG;
	if (fact->kind == FACT_FLAG)
		*(bool *)member = number != 0;
	else
		*(uint64_t *)member = number;
	return 0;
}

static void name_this_system(char *ret_text, size_t size)
{
	struct utsname name;

	*ret_text = '\0';
	if (!uname(&name))
		(void)snprintf(ret_text, size, "%.128s %.128s %.128s", name.sysname, name.release,
			       name.machine);
}

int facts_set_words(struct profile *profile, const struct facts_words *words)
{
	struct profile_facts *to = &profile->facts;
	char system[512];
	const struct {
		const char *text;
		uint32_t *id;
	} each[] = {
		{words->producer, &to->producer},
		{words->command, &to->command},
		{words->engine, &to->engine},
		{words->event, &to->event},
		{words->clock, &to->clock},
		{words->system ? words->system : system, &to->system},
		{words->no_stacks, &to->no_stacks},
	};
	int ret = 0;

	name_this_system(system, sizeof(system));
	for (size_t i = 0; i < ARRAY_LENGTH(each) && !ret; i++)
		ret = profile_string(profile, each[i].text ? each[i].text : "", each[i].id);
	return ret;
}

/* ---- facts on one mapping or location, by its number in the file ---- */

static bool known(const struct file_identity *identity)
{
	return identity->device || identity->inode || identity->generation || identity->mtime_ns;
}

static int write_mapping(const struct profile *profile, size_t index, facts_take *take,
			 void *context)
{
	const struct profile_mapping *mapping = &profile->mappings[index];
	const struct file_identity *identity = &mapping->identity;
	const char *note = profile_text(profile, mapping->note);
	int ret;

	ret = say(take, context, MAPPING_PREFIX "%zu.class: %s", index + 1,
		  profile_class_name(mapping->class));
	if (!ret && known(identity))
		ret = say(take, context,
			  MAPPING_PREFIX "%zu.file: %" PRIu64 " %" PRIu64 " %" PRIu32 " %" PRIu64,
			  index + 1, identity->device, identity->inode, identity->generation,
			  (uint64_t)identity->mtime_ns);
	if (!ret && *note)
		ret = say(take, context, MAPPING_PREFIX "%zu.note: %s", index + 1, note);
	return ret;
}

static int read_class(const char *value, struct profile_mapping *mapping)
{
	for (int class = 0; class < PROFILE_CLASSES; class ++) {
		if (strcmp(value, profile_class_name((enum profile_class) class)))
			continue;
		mapping->class = (enum profile_class) class;
		return 0;
	}
	return -EBADMSG;
}

static int read_identity(const char *value, struct file_identity *identity)
{
	uint64_t numbers[4];

	for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
		if (i && *value++ != ' ')
			return -EBADMSG;
		if (take_number(&value, 10, &numbers[i]))
			return -EBADMSG;
	}
	if (*value || numbers[2] > UINT32_MAX)
		return -EBADMSG;
	*identity = (struct file_identity){
		.device = numbers[0],
		.inode = numbers[1],
		.generation = (uint32_t)numbers[2],
		.mtime_ns = (int64_t)numbers[3],
	};
	return 0;
}

static int read_mapping(struct profile *profile, size_t index, const char *key, const char *value)
{
	struct profile_mapping *mapping = &profile->mappings[index];

	if (!strcmp(key, "class"))
		return read_class(value, mapping);
	if (!strcmp(key, "file"))
		return read_identity(value, &mapping->identity);
	if (!strcmp(key, "note"))
		return profile_string(profile, value, &mapping->note);
	return 0;
}

static const char *const kind_names[] = {
	[LOCATION_ADDRESS] = "address",
	[LOCATION_OVERFLOW] = "overflow",
	[LOCATION_UNRESOLVED] = "unresolved",
};

static int write_location(const struct profile *profile, size_t index, facts_take *take,
			  void *context)
{
	enum location_kind kind = profile->locations[index].kind;

	if (kind == LOCATION_ADDRESS)
		return 0;
	return say(take, context, LOCATION_PREFIX "%zu.kind: %s", index + 1, kind_names[kind]);
}

static int read_location(struct profile *profile, size_t index, const char *key, const char *value)
{
	struct profile_location *location = &profile->locations[index];

	if (strcmp(key, "kind"))
		return 0;
	for (size_t i = 0; i < ARRAY_LENGTH(kind_names); i++) {
		if (strcmp(value, kind_names[i]))
			continue;
		if (i == LOCATION_UNRESOLVED && location->address >= UNRESOLVED_REASONS)
			return -EBADMSG;
		location->kind = (enum location_kind)i;
		return 0;
	}
	return -EBADMSG;
}

int facts_write(const struct profile *profile, facts_take *take, void *context)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_LENGTH(facts); i++)
		ret = write_fact(profile, &facts[i], take, context);
	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		ret = write_mapping(profile, i, take, context);
	for (size_t i = 0; !ret && i < profile->location_count; i++)
		ret = write_location(profile, i, take, context);
	return ret ? ret : say(take, context, CHECK_KEY ": %08" PRIx32, check_sum(profile));
}

/* What stands behind "KEY: " in COMMENT, or NULL when it has another key. */
static const char *value_of(const char *comment, const char *key)
{
	size_t length = strlen(key);

	if (strncmp(comment, key, length) || strncmp(comment + length, ": ", 2))
		return NULL;
	return comment + length + 2;
}

bool facts_find_sum(const char *comment, uint32_t *ret_sum)
{
	const char *value = value_of(comment, CHECK_KEY);
	uint64_t number;

	if (!value || strlen(value) != 8 || take_number(&value, 16, &number) || *value)
		return false;
	*ret_sum = (uint32_t)number;
	return true;
}

/* COMMENT is PREFIX, then "3.class: program". */
static int read_place(struct profile *profile, const char *comment, const char *prefix,
		      size_t count, read_one *read)
{
	const char *numbered = comment + strlen(prefix), *value = strstr(numbered, ": ");
	char key[16];
	uint64_t number;

	if (!value || take_number(&numbered, 10, &number) || *numbered++ != '.')
		return -EBADMSG;
	if (!number || number > count)
		return -EBADMSG;
	if ((size_t)(value - numbered) >= sizeof(key))
		return 0;
	(void)snprintf(key, sizeof(key), "%.*s", (int)(value - numbered), numbered);
	return read(profile, (size_t)number - 1, key, value + 2);
}

int facts_read(struct profile *profile, const char *comment)
{
	if (!strncmp(comment, MAPPING_PREFIX, strlen(MAPPING_PREFIX)))
		return read_place(profile, comment, MAPPING_PREFIX, profile->mapping_count,
				  read_mapping);
	if (!strncmp(comment, LOCATION_PREFIX, strlen(LOCATION_PREFIX)))
		return read_place(profile, comment, LOCATION_PREFIX, profile->location_count,
				  read_location);
	for (size_t i = 0; i < ARRAY_LENGTH(facts); i++) {
		const char *value = value_of(comment, facts[i].key);

		if (value)
			return read_fact(profile, &facts[i], value);
	}
	return 0;
}
