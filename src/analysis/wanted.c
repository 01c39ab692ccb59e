// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/wanted.h"

#include "analysis/names.h"
#include "base/parse.h"

#include <errno.h>
#include <string.h>

static const struct profile_function *
function_of(const struct profile *profile, const struct profile_location *location, uint32_t frame)
{
	return &profile->functions[profile->lines[location->first_line + frame].function];
}

/* "lz/mf.c" names "/src/xz/lz/mf.c", and so does "mf.c", but "f.c" does not. */
static bool is_path_tail(const char *path, const char *tail, size_t length)
{
	size_t all = strlen(path);

	return all >= length && !strncmp(path + all - length, tail, length) &&
	       (all == length || tail[0] == '/' || path[all - length - 1] == '/');
}

static bool matches_line(const struct wanted *wanted, const struct profile_location *location)
{
	const struct profile *profile = wanted->profile;

	for (uint32_t i = 0; i < location->line_count; i++) {
		const char *file = profile_text(profile, function_of(profile, location, i)->file);

		if (profile->lines[location->first_line + i].line == wanted->line &&
		    is_path_tail(file, wanted->text, wanted->file_length))
			return true;
	}
	return false;
}

/* How much deeper in brackets the rest of a name is behind C; an arrow's head is none. */
static int opens(const char *name, const char *c)
{
	if (strchr("(<[{", *c))
		return 1;
	return strchr(")>]}", *c) && !(c > name && *c == '>' && c[-1] == '-') ? -1 : 0;
}

/* "work" is what "(anonymous namespace)::work(int)", "int ns::work<int>(int)" and "main.work" are
 * called when one speaks of them, but neither "rework(int)" nor "work::clear()" nor "f(work)". */
static bool is_plain_name(const char *name, const char *text)
{
	size_t length = strlen(text);
	int depth = 0;

	for (const char *c = name; length && *c; depth += opens(name, c++)) {
		bool begins = c == name || strchr(" :.*&", c[-1]);

		if (depth || !begins || strncmp(c, text, length))
			continue;
		if (!c[length] || strchr("(<[", c[length]) ||
		    (text[length - 1] == ')' && c[length] == ' '))
			return true;
	}
	return false;
}

static bool matches_name(const struct wanted *wanted, const char *name)
{
	if (wanted->kind == WANTED_REGEX)
		return !regexec(&wanted->regex, name, 0, NULL, 0);
	if (wanted->kind == WANTED_PLAIN_NAME)
		return is_plain_name(name, wanted->text);
	return !strcmp(name, wanted->text);
}

static bool matches_frame(const struct wanted *wanted, const struct profile_function *function)
{
	const struct profile *profile = wanted->profile;

	return matches_name(wanted, profile_text(profile, function->name)) ||
	       (wanted->kind == WANTED_NAME &&
		matches_name(wanted, profile_text(profile, function->system_name)));
}

static bool matches_function(const struct wanted *wanted, const struct profile_location *location)
{
	uint32_t last = location->line_count;

	if (last && !wanted->inlined)
		return matches_frame(wanted, function_of(wanted->profile, location, last - 1));
	for (uint32_t i = 0; i + 1 < last; i++)
		if (matches_frame(wanted, function_of(wanted->profile, location, i)))
			return true;
	return false;
}

static bool matches_object(const struct wanted *wanted, const struct profile_location *location)
{
	const struct profile *profile = wanted->profile;
	uint32_t object = wanted->objects[location->mapping];

	return !strcmp(wanted->text, names_object(profile, object)) ||
	       !strcmp(wanted->text, profile_text(profile, profile->mappings[object].path));
}

bool wanted_matches(const struct wanted *wanted, const struct profile_location *location)
{
	if (location->kind != LOCATION_ADDRESS)
		return false;
	switch (wanted->kind) {
	case WANTED_ALL:
		return true;
	case WANTED_LINE:
		return matches_line(wanted, location);
	case WANTED_OBJECT:
		return matches_object(wanted, location);
	case WANTED_NAME:
	case WANTED_PLAIN_NAME:
	case WANTED_REGEX:
		return matches_function(wanted, location);
	}
	return false;
}

/* Is there one with samples? */
static bool found(struct wanted *wanted, enum wanted_kind kind, bool inlined)
{
	const struct profile *profile = wanted->profile;

	wanted->kind = kind;
	wanted->inlined = inlined;
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].ticks &&
		    wanted_matches(wanted, &profile->locations[profile->cells[i].location]))
			return true;
	return false;
}

/* "SOURCE:LINE", but not "ns::f". */
static bool read_line(struct wanted *wanted)
{
	const char *colon = strrchr(wanted->text, ':');
	uint64_t line;

	if (!colon || colon == wanted->text || colon[-1] == ':' ||
	    parse_count(colon + 1, 1, UINT32_MAX, &line))
		return false;
	wanted->file_length = (size_t)(colon - wanted->text);
	wanted->line = (uint32_t)line;
	return true;
}

static int compile(struct wanted *wanted, struct error *reterr)
{
	char why[128];
	int ret = regcomp(&wanted->regex, wanted->text, REG_EXTENDED | REG_NOSUB);

	if (ret == REG_ESPACE)
		return -ENOMEM;
	if (ret) {
		(void)regerror(ret, NULL, why, sizeof(why));
		return error_set(reterr, -EINVAL,
				 "'%s': no such function or object, and no regex (%s): see 'profil "
				 "report' for names",
				 wanted->text, why);
	}
	wanted->has_regex = true;
	return 0;
}

static int not_found(const struct wanted *wanted, struct error *reterr)
{
	const char *what = wanted->kind == WANTED_LINE ? "line" : "function or object";

	return error_set(reterr, -ENOENT,
			 "'%s': no %s of that name has samples: see 'profil report --by %s'",
			 wanted->text, what, wanted->kind == WANTED_LINE ? "line" : "function");
}

/* The surest reading of the word that finds something is what was meant. */
int wanted_init(struct wanted *wanted, const struct profile *profile, const uint32_t *objects,
		const char *text, struct error *reterr)
{
	int ret;

	*wanted = (struct wanted){.profile = profile, .objects = objects, .text = text};
	if (!text)
		return 0;
	if (read_line(wanted))
		return found(wanted, WANTED_LINE, false) ? 0 : not_found(wanted, reterr);
	if (found(wanted, WANTED_NAME, false) || found(wanted, WANTED_OBJECT, false) ||
	    found(wanted, WANTED_NAME, true) || found(wanted, WANTED_PLAIN_NAME, false) ||
	    found(wanted, WANTED_PLAIN_NAME, true))
		return 0;
	ret = compile(wanted, reterr);
	if (ret < 0)
		return ret;
	if (found(wanted, WANTED_REGEX, false) || found(wanted, WANTED_REGEX, true))
		return 0;
	wanted_done(wanted);
	return not_found(wanted, reterr);
}

void wanted_done(struct wanted *wanted)
{
	if (wanted->has_regex)
		regfree(&wanted->regex);
	wanted->has_regex = false;
}
