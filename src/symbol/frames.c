// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/frames.h"

#include "base/array.h"
#include "symbol/dies.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* libdw keeps every line table it has read, 40 bytes a row, and every .dwo file open until its
 * handle is closed.  Addresses come in rising order, so what was read is seldom needed again: past
 * this many rows the handle is closed and another one opened. */
#define ROWS_MAX 100000
#define ROWS_A_UNIT 100 /* what else a unit costs, as rows */

/* A place in a source file. */
struct source {
	const char *file;
	uint32_t line;
};

static int shift_code(const struct spans *code, uint64_t shift, struct spans *ret_shifted)
{
	*ret_shifted = (struct spans){0};
	for (size_t i = 0; i < code->count; i++)
		if (spans_add(ret_shifted, code->items[i].start + shift, code->items[i].end + shift,
			      /* rank= */ 0, /* value= */ 0))
			return -ENOMEM;
	return spans_finish(ret_shifted, spans_by_rank);
}

/* Forget all that was read of the DWARF, with the memory libdw took for it. */
static void close_dwarf(struct frames *frames)
{
	units_done(&frames->units);
	scopes_done(&frames->scopes);
	if (frames->dwarf)
		dwarf_end(frames->dwarf);
	frames->dwarf = NULL;
	frames->rows = 0;
}

static int open_dwarf(struct frames *frames)
{
	Dwarf *shared = dwarf_getalt(frames->base);

	frames->dwarf = dwarf_begin_elf(dwarf_getelf(frames->base), DWARF_C_READ, NULL);
	if (!frames->dwarf)
		return 0;
	if (shared)
		dwarf_setalt(frames->dwarf, shared);
	return units_read(&frames->units, frames->dwarf, &frames->code);
}

int frames_open(struct frames *frames, Dwarf *dwarf, uint64_t shift, const struct spans *code)
{
	*frames = (struct frames){.base = dwarf, .shift = shift, .rows_max = ROWS_MAX};
	if (shift_code(code, shift, &frames->code))
		return -ENOMEM;
	return open_dwarf(frames);
}

/* Make room if need be for UNIT, of which nothing was read yet; what it takes is mostly lines.
 * *UNIT is another one afterwards. */
static int make_room(struct frames *frames, uint64_t address, struct unit **unit)
{
	Dwarf_Lines *lines;
	size_t count;
	int result;

	if (frames->rows > frames->rows_max) {
		close_dwarf(frames);
		result = open_dwarf(frames);
		*unit = units_find(&frames->units, address);
		if (result || !*unit)
			return result;
	}
	if (!dwarf_getsrclines(&(*unit)->die, &lines, &count))
		frames->rows += count;
	frames->rows += ROWS_A_UNIT;
	return 0;
}

int frames_locate(struct frames *frames, uint64_t address, struct frames_place *ret_place)
{
	struct frames_place place = {.address = address + frames->shift};
	int found = 0;

	place.unit = units_find(&frames->units, place.address);
	if (place.unit && !place.unit->is_read && make_room(frames, place.address, &place.unit))
		return -ENOMEM;
	if (place.unit)
		found = unit_function(place.unit, place.address, &place.function);
	if (found < 0)
		return found;
	place.has_function = found;
	*ret_place = place;
	return 0;
}

const char *frames_function(const struct frames_place *place)
{
	Dwarf_Die function = place->function;

	return place->has_function ? dies_name(&function) : NULL;
}

static struct source line_at(const struct frames_place *place)
{
	struct source source = {"", 0};
	Dwarf_Line *line = NULL;
	const char *file;
	int number;

	if (place->unit)
		line = dwarf_getsrc_die(&place->unit->die, place->address);
	if (!line)
		return source;
	file = dwarf_linesrc(line, /* mtime= */ NULL, /* length= */ NULL);
	if (file)
		source.file = file;
	if (!dwarf_lineno(line, &number) && number > 0)
		source.line = (uint32_t)number;
	return source;
}

/* Where CALL, an inlined one, stands in the source of the function around it. */
static struct source line_of_call(const struct frames_place *place, Dwarf_Die *call)
{
	struct source source = {"", (uint32_t)dies_number(call, DW_AT_call_line)};
	uint64_t index = dies_number(call, DW_AT_call_file);
	Dwarf_Files *files;
	const char *file;
	size_t count;

	if (dwarf_getsrcfiles(&place->unit->tree, &files, &count) || index >= count)
		return source;
	file = dwarf_filesrc(files, index, /* mtime= */ NULL, /* length= */ NULL);
	if (file)
		source.file = file;
	return source;
}

/* A relative path is one from where the compiler stood, and names something else anywhere else.
 * Where a build hides that, to be the same wherever it is made, nobody knows it. */
static int from_unit(struct frames *frames, const struct frames_place *place, const char **file)
{
	Dwarf_Attribute attribute;
	const char *folder = NULL;
	char *path;
	uint32_t id;
	int length, ret;

	if (place->unit && **file && **file != '/')
		folder =
			dwarf_formstring(dwarf_attr(&place->unit->die, DW_AT_comp_dir, &attribute));
	if (!folder || *folder != '/')
		return 0;
	if (!frames->paths)
		frames->paths = strings_new();
	length = frames->paths ? asprintf(&path, "%s/%s", folder, *file) : -1;
	if (length < 0)
		return -ENOMEM;
	ret = strings_add(frames->paths, path, (size_t)length, &id);
	free(path);
	if (!ret)
		*file = strings_get(frames->paths, id);
	return ret;
}

static int push(struct frames *frames, const struct frames_place *place,
		struct demangler *demangler, const char *name, struct source source,
		uint32_t start_line)
{
	struct symbol_frame frame = {
		.file = source.file, .line = source.line, .start_line = start_line};

	if (from_unit(frames, place, &frame.file) ||
	    demangler_show(demangler, name, &frame.system_name, &frame.function) ||
	    ARRAY_RESERVE(frames->items, frames->capacity, frames->count + 1))
		return -ENOMEM;
	frames->items[frames->count++] = frame;
	return 0;
}

/* Push the calls that were inlined at PLACE; *SOURCE goes from the innermost line to that of the
 * outermost call. */
static int push_inlined(struct frames *frames, const struct frames_place *place,
			struct demangler *demangler, struct source *source)
{
	if (scopes_read(&frames->scopes, &place->function))
		return -ENOMEM;
	for (uint32_t at = scopes_find(&frames->scopes, place->address); at != SCOPE_NONE;
	     at = frames->scopes.items[at].outer) {
		Dwarf_Die *call = &frames->scopes.items[at].die;
		const char *name = dies_name(call);

		if (push(frames, place, demangler, name ? name : "[inlined]", *source,
			 dies_declared(call)))
			return -ENOMEM;
		*source = line_of_call(place, call);
	}
	return 0;
}

int frames_chain(struct frames *frames, const struct frames_place *place, const char *name,
		 bool inlines, struct demangler *demangler)
{
	Dwarf_Die function = place->function;
	struct source source = line_at(place);

	frames->count = 0;
	if (inlines && place->has_function && push_inlined(frames, place, demangler, &source))
		return -ENOMEM;
	return push(frames, place, demangler, name, source,
		    place->has_function ? dies_declared(&function) : 0);
}

void frames_done(struct frames *frames)
{
	close_dwarf(frames);
	spans_done(&frames->code);
	strings_free(frames->paths);
	free(frames->items);
	*frames = (struct frames){0};
}
