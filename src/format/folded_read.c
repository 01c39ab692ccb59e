// SPDX-License-Identifier: BSD-2-Clause
#include "format/folded.h"

#include "base/array.h"
#include "base/progress.h"
#include "format/imported.h"
#include "format/perf_line.h"
#include "format/stack.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Folded stacks, as stackcollapse's programs write them and flame graphs are
 * drawn from: on a line the names of a stack, "outermost;...;innermost", and
 * how many samples it had.  There are no addresses and no files: what is not
 * marked as the kernel's, "name_[k]", or as generated code, "name_[j]", is the
 * program's. */

struct folded_line {
	struct perf_text stack;
	uint64_t ticks;
};

enum object {
	OBJECT_PROGRAM,
	OBJECT_KERNEL,
	OBJECT_ANONYMOUS,
	OBJECTS,
};

static const struct {
	const char *path, *mark;
	enum profile_class class;
} objects[OBJECTS] = {
	[OBJECT_PROGRAM] = {"[program]", "_[i]", CLASS_PROGRAM}, /* inlined there */
	[OBJECT_KERNEL] = {"[kernel]", "_[k]", CLASS_KERNEL},
	[OBJECT_ANONYMOUS] = {"[anon]", "_[j]", CLASS_ANONYMOUS},
};

struct folded_in {
	struct imported imported;
	uint32_t mappings[OBJECTS]; /* their numbers and 1; 0: not there yet */
	/* The same of the locations, by their names' numbers. */
	struct {
		uint32_t *of;
		size_t capacity;
	} locations[OBJECTS];
};

static bool read_line(struct perf_text line, struct folded_line *ret_line)
{
	size_t size = line.size, digits;

	while (size && isspace((unsigned char)line.start[size - 1]))
		size--;
	for (digits = 0; digits < size && isdigit((unsigned char)line.start[size - 1 - digits]);)
		digits++;
	*ret_line = (struct folded_line){.stack = {line.start, size - digits}};
	while (ret_line->stack.size && isblank((unsigned char)line.start[ret_line->stack.size - 1]))
		ret_line->stack.size--;
	return ret_line->stack.size && ret_line->stack.size < size - digits &&
	       !memchr(line.start, '\0', size) &&
	       perf_text_number((struct perf_text){line.start + size - digits, digits},
				/* base= */ 10, &ret_line->ticks);
}

/* An empty line, and one of a comment, which the stacks of no program begin
 * with. */
static bool is_nothing(struct perf_text line)
{
	return !line.size || *line.start == '#' || *line.start == '\r';
}

bool folded_recognises(const struct format_source *source)
{
	struct perf_text text = {(const char *)source->bytes, source->size}, line;
	struct folded_line folded;

	while (perf_line_next(&text, &line))
		if (!is_nothing(line))
			return read_line(line, &folded);
	return false;
}

/* Takes the mark off NAME. */
static enum object object_of(struct perf_text *name)
{
	for (int i = 0; i < OBJECTS; i++) {
		size_t size = strlen(objects[i].mark);

		if (name->size <= size ||
		    memcmp(name->start + name->size - size, objects[i].mark, size) != 0)
			continue;
		name->size -= size;
		return (enum object)i;
	}
	return OBJECT_PROGRAM;
}

static int find_mapping(struct folded_in *in, enum object object, uint32_t *ret_mapping)
{
	struct profile_mapping mapping = {.class = objects[object].class, .limit = UINT64_MAX};
	int ret = 0;

	if (!in->mappings[object]) {
		ret = profile_string(in->imported.builder.profile, objects[object].path,
				     &mapping.path);
		if (ret >= 0)
			ret = builder_mapping(&in->imported.builder, &mapping,
					      &in->mappings[object]);
		if (ret < 0)
			return ret;
		in->mappings[object]++;
	}
	*ret_mapping = in->mappings[object] - 1;
	return 0;
}

/* A frame is its function, and that all there is of its location. */
static int add_location(struct folded_in *in, enum object object, uint32_t name,
			uint32_t *ret_location)
{
	struct builder *builder = &in->imported.builder;
	const struct profile_function function = {.name = name, .system_name = name};
	struct profile_location location = {.kind = LOCATION_ADDRESS};
	struct profile_line lines[2] = {{0}};
	uint32_t frames = 0;
	int ret = find_mapping(in, object, &location.mapping);

	if (ret >= 0)
		ret = builder_function(builder, &function, &lines[1].function);
	if (ret >= 0)
		ret = builder_frames(builder, lines, /* count= */ 1, &frames);
	return ret < 0 ? ret : builder_location(builder, &location, frames, ret_location);
}

static int find_location(struct folded_in *in, struct perf_text name, uint32_t *ret_location)
{
	enum object object = object_of(&name);
	uint32_t number, *known;
	int ret;

	if (!name.size)
		name = (struct perf_text){"[unknown]", strlen("[unknown]")};
	ret = strings_add(in->imported.builder.profile->strings, name.start, name.size, &number);
	if (ret < 0 ||
	    ARRAY_RESERVE(in->locations[object].of, in->locations[object].capacity, number + 1UL))
		return -ENOMEM;
	known = &in->locations[object].of[number];
	if (!*known) {
		ret = add_location(in, object, number, known);
		if (ret < 0)
			return ret;
		++*known;
	}
	*ret_location = *known - 1;
	return 0;
}

/* Take the first name off STACK.  Returns false when there is none. */
static bool next_name(struct perf_text *stack, struct perf_text *ret_name)
{
	const char *end;

	if (!stack->start)
		return false;
	end = memchr(stack->start, ';', stack->size);
	*ret_name =
		(struct perf_text){stack->start, end ? (size_t)(end - stack->start) : stack->size};
	stack->size -= end ? ret_name->size + 1 : stack->size;
	stack->start = end ? end + 1 : NULL;
	return true;
}

static int take_stack(struct folded_in *in, const struct folded_line *line)
{
	struct profile_cell cell = {.task = PROFILE_NO_TASK,
				    .ticks = ticks_add(line->ticks, 0),
				    .stack_end = STACK_WHOLE};
	struct perf_text stack = line->stack, name;
	int ret = 0;

	(void)next_name(&stack, &name);
	/* Why a stack is cut, as profil itself writes it. */
	if (stack.start && stack_cut_end(name.start, name.size) != STACK_NONE) {
		cell.stack_end = stack_cut_end(name.start, name.size);
		(void)next_name(&stack, &name);
	}
	ret = find_location(in, name, &cell.location);
	while (ret >= 0 && next_name(&stack, &name)) {
		struct profile_context call = {.parent = cell.context, .location = cell.location};

		ret = builder_context(&in->imported.builder, &call, &cell.context);
		if (ret >= 0)
			ret = find_location(in, name, &cell.location);
	}
	return ret < 0 || !cell.ticks ? ret : builder_cell(&in->imported.builder, &cell);
}

static int take_all(struct folded_in *in, const struct format_source *source, struct error *reterr)
{
	struct perf_text text = {(const char *)source->bytes, source->size}, line;
	struct profile *profile = in->imported.builder.profile;
	struct folded_line folded;
	size_t number = 0;
	int ret = profile_string(profile, "folded stacks", &profile->facts.producer);

	while (ret >= 0 && perf_line_next(&text, &line)) {
		progress_at((source->size - text.size) / 1000, source->size / 1000);
		number++;
		if (is_nothing(line))
			continue;
		if (!read_line(line, &folded))
			return error_set(reterr, -EBADMSG,
					 "%s: line %zu is not a stack and how many samples it had: "
					 "give folded stacks, \"main;work;leaf 12\"",
					 source->path, number);
		ret = take_stack(in, &folded);
	}
	return ret;
}

int folded_read(const struct format_source *source, struct profile **ret_profile,
		struct error *reterr)
{
	struct folded_in in = {0};
	int ret = imported_begin(&in.imported, source);

	progress_begin("reading", "kB");
	if (ret >= 0)
		ret = take_all(&in, source, reterr);
	progress_end();
	for (int i = 0; i < OBJECTS; i++)
		free(in.locations[i].of);
	return imported_end(&in.imported, ret, ret_profile, reterr);
}
