// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/names.h"

#include "analysis/names_known.h"
#include "analysis/names_pids.h"
#include "base/array.h"
#include "base/keyset.h"
#include "base/path.h"
#include "base/progress.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A location still without a name, with what it is sorted by: symbols are asked object by object,
 * in rising order. */
struct nameless {
	uint32_t mapping;
	uint32_t pid; /* of anonymous code: one process's page is not another's; else 0 */
	uint64_t address;
	uint32_t location;
};

/* One walk over a profile. */
struct naming {
	struct profile *profile;
	struct symbols *symbols;
	struct names_known known;
	uint32_t *taken;	      /* of each function known before, its number here and 1 */
	struct keyset functions;      /* those of this walk ... */
	uint32_t first_function;      /* ... whose numbers count from here in the profile */
	const struct nameless *batch; /* the locations of one object */
};

const char *names_object(const struct profile *profile, uint32_t mapping)
{
	const char *path;

	if (mapping >= profile->mapping_count)
		return "[unknown]";
	path = profile_text(profile, profile->mappings[mapping].path);
	return *path ? path_base(path) : "[unknown]";
}

/* Where the user may not see the kernel's addresses, they are all 0: where none of its is. */
static bool is_hidden_kernel(const struct profile *profile, const struct profile_location *location)
{
	return !location->address && location->mapping < profile->mapping_count &&
	       profile->mappings[location->mapping].class == CLASS_KERNEL;
}

bool names_bare_is_address(const struct profile *profile, const struct profile_location *location)
{
	return profile_is_code(profile, location) && !is_hidden_kernel(profile, location);
}

char *names_bare(const struct profile *profile, const struct profile_location *location)
{
	char *text;
	int ret;

	if (location->kind == LOCATION_OVERFLOW)
		return strdup("[overflow]");
	if (profile->mappings[location->mapping].class == CLASS_IDLE)
		return strdup("[idle]");
	if (location->kind == LOCATION_UNRESOLVED)
		ret = asprintf(&text, "[unresolved]: %s",
			       unresolved_reason_text((enum unresolved_reason)location->address));
	else if (is_hidden_kernel(profile, location))
		ret = asprintf(&text, "%s", names_object(profile, location->mapping));
	else
		ret = asprintf(&text, "%s+0x%" PRIx64, names_object(profile, location->mapping),
			       location->address);
	return ret < 0 ? NULL : text;
}

/* The profile's function for FRAME, which is added if it is new. */
static int intern_function(struct naming *naming, const struct symbol_frame *frame,
			   uint32_t *ret_function)
{
	struct profile *profile = naming->profile;
	struct profile_function function = {.start_line = frame->start_line};
	uint32_t number;
	struct key key;
	int ret;

	ret = profile_string(profile, frame->function, &function.name);
	if (ret >= 0)
		ret = profile_string(profile, frame->system_name, &function.system_name);
	if (ret >= 0)
		ret = profile_string(profile, frame->file, &function.file);
	if (ret < 0)
		return ret;
	key = (struct key){{(uint64_t)function.name << 32 | function.system_name,
			    (uint64_t)function.file << 32 | function.start_line}};
	ret = keyset_add(&naming->functions, &key, &number);
	if (ret < 0)
		return ret;
	*ret_function = naming->first_function + number;
	return ret > 0 ? profile_add_function(profile, &function, &number) : 0;
}

static int add_line(struct naming *naming, struct profile_location *location,
		    const struct profile_line *line)
{
	uint32_t index;
	int ret = profile_add_line(naming->profile, line, &index);

	if (ret < 0)
		return ret;
	if (location->line_count++ == 0)
		location->first_line = index;
	return 0;
}

static int add_frame(struct naming *naming, struct profile_location *location,
		     const struct symbol_frame *frame)
{
	struct profile_line line = {.line = frame->line};
	int ret = intern_function(naming, frame, &line.function);

	return ret < 0 ? ret : add_line(naming, location, &line);
}

static int take_place(void *context, size_t index, const struct symbol_place *place)
{
	struct naming *naming = context;
	uint32_t number = naming->batch[index].location;
	int ret = 0;

	for (size_t i = 0; i < place->frame_count && ret >= 0; i++) {
		struct symbol_frame frame = place->frames[i];

		if (place->certainty != SYMBOL_NAMED)
			frame.system_name = "";
		ret = add_frame(naming, &naming->profile->locations[number], &frame);
	}
	return ret;
}

/* Overflow, unresolved, and code of a file that is not the one that ran. */
static int name_bare(struct naming *naming, uint32_t number)
{
	struct profile_location *location = &naming->profile->locations[number];
	struct symbol_frame frame = {.file = ""};
	char *text;
	int ret;

	text = names_bare(naming->profile, location);
	if (!text)
		return -ENOMEM;
	frame.function = text;
	frame.system_name = names_bare_is_address(naming->profile, location) ? "" : text;
	ret = add_frame(naming, location, &frame);
	free(text);
	return ret;
}

/* Whether SYMBOLS may be asked about MAPPING, and as what. */
static bool symbol_source(const struct profile *profile, const struct profile_mapping *mapping,
			  struct symbol_object *ret_object)
{
	const char *path = profile_text(profile, mapping->path);

	if (*profile_text(profile, mapping->note))
		return false;
	*ret_object = (struct symbol_object){.path = path,
					     .build_id = profile_text(profile, mapping->build_id)};
	switch (mapping->class) {
	case CLASS_PROGRAM:
	case CLASS_LIBRARIES:
		ret_object->space = SYMBOL_FILE;
		return *path != '\0';
	case CLASS_KERNEL:
		ret_object->space = SYMBOL_KERNEL;
		return true;
	case CLASS_VDSO:
		/* The 32-bit one has another name, and no symbols that could be read here. */
		ret_object->space = SYMBOL_VDSO;
		return !strcmp(path, "[vdso]");
	case CLASS_ANONYMOUS:
		ret_object->space = SYMBOL_ANON;
		return true;
	default:
		return false;
	}
}

static int ask(struct naming *naming, const struct symbol_object *object,
	       const struct nameless *batch, size_t count)
{
	uint64_t *addresses = calloc(count, sizeof(*addresses));
	int ret;

	if (!addresses)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		addresses[i] = batch[i].address;
	naming->batch = batch;
	ret = symbols_name(naming->symbols, object, addresses, count, take_place, naming);
	free(addresses);
	return ret;
}

/* Name COUNT locations of one mapping (and one process, where that matters). */
static int name_batch(struct naming *naming, const struct nameless *batch, size_t count)
{
	const struct profile *profile = naming->profile;
	const struct profile_mapping *mapping = &profile->mappings[batch->mapping];
	struct symbol_object object;
	char *path;
	int ret = 0;

	if (!symbol_source(naming->profile, mapping, &object)) {
		for (size_t i = 0; i < count && ret >= 0; i++)
			ret = name_bare(naming, batch[i].location);
		return ret;
	}
	object.pid = batch->pid;
	if (!mapping->root)
		return ask(naming, &object, batch, count);
	if (asprintf(&path, "%s%s", profile_text(profile, mapping->root), object.path) < 0)
		return -ENOMEM;
	object.path = path;
	ret = ask(naming, &object, batch, count);
	free(path);
	return ret;
}

static int compare_nameless(const void *left, const void *right)
{
	const struct nameless *a = left, *b = right;

	if (a->mapping != b->mapping)
		return a->mapping < b->mapping ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

static bool same_object(const struct nameless *a, const struct nameless *b)
{
	return a->mapping == b->mapping && a->pid == b->pid;
}

/* What NAMELESS, in order, begins with of one object. */
static size_t batch_of(const struct nameless *nameless, size_t count)
{
	size_t end = 1;

	while (end < count && same_object(nameless, &nameless[end]))
		end++;
	return end;
}

static int name_all(struct naming *naming, struct nameless *nameless, size_t count)
{
	size_t objects = 0, done = 0, size;
	int ret = 0;

	ARRAY_SORT(nameless, count, compare_nameless);
	for (size_t start = 0; start < count; objects++)
		start += batch_of(nameless + start, count - start);
	progress_begin("names", "files");
	for (size_t start = 0; start < count && ret >= 0; start += size) {
		progress_at(done++, objects);
		size = batch_of(nameless + start, count - start);
		ret = name_batch(naming, nameless + start, size);
	}
	progress_end();
	return ret < 0 ? ret : 0;
}

/* The function NUMBER of the earlier profile here: its texts are looked at once. */
static int take_function(struct naming *naming, uint32_t number, uint32_t *ret_function)
{
	const struct profile *from = naming->known.known;
	const struct profile_function *function = &from->functions[number];
	const struct symbol_frame frame = {
		.function = profile_text(from, function->name),
		.system_name = profile_text(from, function->system_name),
		.file = profile_text(from, function->file),
		.start_line = function->start_line,
	};
	int ret = 0;

	if (naming->taken[number])
		*ret_function = naming->taken[number] - 1;
	else
		ret = intern_function(naming, &frame, ret_function);
	if (ret >= 0)
		naming->taken[number] = *ret_function + 1;
	return ret;
}

/* As the location KNOWN of an earlier profile. */
static int name_as(struct naming *naming, uint32_t number, const struct profile_location *known)
{
	int ret = 0;

	for (uint32_t i = 0; i < known->line_count && ret >= 0; i++) {
		struct profile_line line = naming->known.known->lines[known->first_line + i];

		ret = take_function(naming, line.function, &line.function);
		if (ret >= 0)
			ret = add_line(naming, &naming->profile->locations[number], &line);
	}
	return ret;
}

/* Collect the nameless locations that have an address; the others are named at once. */
static int collect(struct naming *naming, const uint32_t *pids, struct nameless *nameless,
		   size_t *ret_count)
{
	const struct profile *profile = naming->profile;
	size_t count = 0;
	int ret = 0;

	for (uint32_t i = 0; i < profile->location_count && ret >= 0; i++) {
		const struct profile_location *location = &profile->locations[i], *known;

		if (location->line_count)
			continue;
		known = names_known_find(&naming->known, location);
		if (known)
			ret = name_as(naming, i, known);
		else if (location->kind == LOCATION_ADDRESS)
			nameless[count++] = (struct nameless){.mapping = location->mapping,
							      .pid = pids[i],
							      .address = location->address,
							      .location = i};
		else
			ret = name_bare(naming, i);
	}
	*ret_count = count;
	return ret;
}

int names_resolve_knowing(struct profile *profile, struct symbols *symbols,
			  const struct profile *known)
{
	struct naming naming = {.profile = profile,
				.symbols = symbols,
				.first_function = (uint32_t)profile->function_count};
	struct nameless *nameless = calloc(profile->location_count + 1, sizeof(*nameless));
	uint32_t *pids = calloc(profile->location_count + 1, sizeof(*pids));
	size_t count;
	int ret = names_known_init(&naming.known, profile, known);

	naming.taken = calloc(known ? known->function_count + 1 : 1, sizeof(*naming.taken));
	if (!nameless || !pids || !naming.taken)
		ret = -ENOMEM;
	if (!ret) {
		ret = names_pids(profile, pids);
		if (ret >= 0)
			ret = collect(&naming, pids, nameless, &count);
		if (ret >= 0)
			ret = name_all(&naming, nameless, count);
	}
	names_known_done(&naming.known);
	keyset_done(&naming.functions);
	free(naming.taken);
	free(pids);
	free(nameless);
	return ret;
}

int names_resolve(struct profile *profile, struct symbols *symbols)
{
	return names_resolve_knowing(profile, symbols, /* known= */ NULL);
}
