// SPDX-License-Identifier: BSD-2-Clause
#include "dos/prf_names.h"

#include "base/path.h"
#include "dos/dosmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define PSP_SIZE 0x100

struct prf_names {
	char *program;
	struct dosmap *map; /* NULL: none */
	uint64_t base;
};

/* The function that was given last: locations rise, so that a symbol's stand together. */
struct giving {
	struct profile *profile;
	const struct dosmap_symbol *symbol;
	uint32_t function;
};

static const char *ending_of(const char *path)
{
	const char *dot = strrchr(path_base(path), '.');

	return dot ? dot : path + strlen(path);
}

static bool is_com(const char *program)
{
	return program && !strcasecmp(ending_of(program), ".com");
}

/* Returns heap text, or NULL where memory is short; "" where nothing stands beside PATH. */
static char *map_beside(const char *path)
{
	static const char *const endings[] = {".MAP", ".map", ".Map"};
	int stem = (int)(ending_of(path) - path);
	char *name;

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		if (asprintf(&name, "%.*s%s", stem, path, endings[i]) < 0)
			return NULL;
		if (!access(name, F_OK))
			return name;
		free(name);
	}
	return strdup("");
}

static int open_map(struct prf_names *names, const char *path, const struct format_hints *hints,
		    struct error *reterr)
{
	char *beside = hints->map ? strdup(hints->map) : map_beside(path);
	int ret = 0;

	if (!beside)
		return -ENOMEM;
	if (*beside)
		ret = dosmap_read(beside, &names->map, reterr);
	free(beside);
	return ret;
}

static char *stem_of(const char *path)
{
	const char *start = path_base(path);

	return strndup(start, (size_t)(ending_of(path) - start));
}

int prf_names_open(const char *path, const struct format_hints *hints, struct prf_names **ret_names,
		   struct error *reterr)
{
	struct prf_names *names = calloc(1, sizeof(*names));
	int ret = -ENOMEM;

	if (names) {
		names->program = hints->program ? strdup(hints->program) : stem_of(path);
		ret = names->program ? open_map(names, path, hints, reterr) : -ENOMEM;
	}
	if (ret) {
		prf_names_close(names);
		return ret;
	}
	if (is_com(hints->program) || (names->map && dosmap_is_com(names->map)))
		names->base = PSP_SIZE;
	*ret_names = names;
	return 0;
}

void prf_names_close(struct prf_names *names)
{
	if (!names)
		return;
	dosmap_free(names->map);
	free(names->program);
	free(names);
}

const char *prf_names_program(const struct prf_names *names)
{
	return names->program;
}

uint64_t prf_names_base(const struct prf_names *names)
{
	return names->base;
}

/* SYSTEM_NAME is NAME, or "" where it is no name. */
static int add_function(struct profile *profile, const char *name, const char *system_name,
			const char *file, uint32_t *ret_function)
{
	struct profile_function function = {0};

	if (profile_string(profile, name, &function.name) ||
	    profile_string(profile, system_name, &function.system_name) ||
	    profile_string(profile, file, &function.file))
		return -ENOMEM;
	return profile_add_function(profile, &function, ret_function);
}

static int add_line(struct profile *profile, struct profile_location *location, uint32_t function,
		    uint32_t number)
{
	struct profile_line line = {.function = function, .line = number};

	location->line_count = 1;
	return profile_add_line(profile, &line, &location->first_line);
}

/* As profil calls what has no name; said here, so that nobody looks for a symbol table. */
static int name_bare(const struct prf_names *names, struct profile *profile,
		     struct profile_location *location)
{
	uint32_t function;
	char *name;
	int ret;

	if (asprintf(&name, "%s+0x%" PRIx64, path_base(names->program), location->address) < 0)
		return -ENOMEM;
	ret = add_function(profile, name, /* system_name= */ "", /* file= */ "", &function);
	free(name);
	return ret ? ret : add_line(profile, location, function, 0);
}

static int name_bucket(const struct prf_names *names, struct giving *giving,
		       struct profile_location *location)
{
	struct profile *profile = giving->profile;
	uint32_t start = (uint32_t)location->address;
	uint32_t limit = start + (uint32_t)profile->facts.cell_size;
	const struct dosmap_symbol *symbol =
		names->map ? dosmap_symbol_in(names->map, start, limit) : NULL;
	const struct dosmap_line *line;

	if (!symbol)
		return name_bare(names, profile, location);
	line = dosmap_line_in(names->map, symbol, start, limit);
	if (symbol != giving->symbol) {
		giving->symbol = symbol;
		if (add_function(profile, symbol->name, symbol->name, line ? line->file : "",
				 &giving->function))
			return -ENOMEM;
	}
	return add_line(profile, location, giving->function, line ? line->number : 0);
}

static int name_outside(struct profile *profile, struct profile_location *location)
{
	const char *path = profile_text(profile, profile->mappings[location->mapping].path);
	uint32_t function;
	int ret = add_function(profile, path, path, "", &function);

	return ret ? ret : add_line(profile, location, function, 0);
}

static int add_note(const struct prf_names *names, struct profile *profile, uint64_t full)
{
	const char *text = names->map ? "" : "no MAP file, so no names: name one with --map";
	char note[200];

	if (full) {
		(void)snprintf(note, sizeof(note),
			       "%" PRIu64
			       " counters are full at 65,534: there were as many samples "
			       "or more: take larger intervals or smaller buckets",
			       full);
		text = note;
	}
	for (size_t i = 0; i < profile->mapping_count; i++)
		if (profile->mappings[i].class == CLASS_PROGRAM)
			return profile_string(profile, text, &profile->mappings[i].note);
	return 0;
}

int prf_names_give(const struct prf_names *names, struct profile *profile, uint64_t full)
{
	struct giving giving = {.profile = profile};
	int ret = add_note(names, profile, full);

	for (size_t i = 0; !ret && i < profile->location_count; i++) {
		struct profile_location *location = &profile->locations[i];

		if (profile->mappings[location->mapping].class == CLASS_PROGRAM)
			ret = name_bucket(names, &giving, location);
		else
			ret = name_outside(profile, location);
	}
	return ret;
}
