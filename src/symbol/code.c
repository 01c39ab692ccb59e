// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/code.h"

#include "base/array.h"
#include "base/path.h"
#include "base/strings.h"
#include "symbol/demangle.h"
#include "symbol/object.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct code {
	struct object *object;
	struct demangler *demangler;
	struct strings *names; /* of functions that have none: "file+0xstart" */
	char *label;	       /* the file's base name */
	uint64_t *starts;      /* of functions, rising */
	size_t start_count;
};

static uint64_t length_of(const struct spans *spans)
{
	uint64_t length = 0;

	for (size_t i = 0; i < spans->count; i++)
		length += spans->items[i].end - spans->items[i].start;
	return length;
}

/* A file whose symbols leave much of its code nameless was stripped: its unwind table knows more
 * starts.  Where the symbols cover the code, that table is not read, for it can be large. */
static int read_unwind(struct object *object)
{
	if (length_of(object_symbols(object)) > length_of(object_code(object)) / 10 * 9)
		return 0;
	return object_read_unwind(object);
}

static int compare_starts(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The parts of one symbol, where another stands amid it, are one start. */
static void add_symbols(struct code *code, const struct spans *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!i || symbols->items[i].value != symbols->items[i - 1].value)
			code->starts[code->start_count++] = symbols->items[i].start;
}

static void add_unwound(struct code *code, const struct spans *unwind, const struct spans *symbols)
{
	for (size_t i = 0; i < unwind->count; i++)
		if (!spans_find(symbols, unwind->items[i].start))
			code->starts[code->start_count++] = unwind->items[i].start;
}

static int find_starts(struct code *code)
{
	const struct spans *symbols = object_symbols(code->object);
	const struct spans *unwind = object_unwind(code->object);

	if (read_unwind(code->object))
		return -ENOMEM;
	code->starts = calloc(symbols->count + unwind->count + 1, sizeof(*code->starts));
	if (!code->starts)
		return -ENOMEM;
	add_symbols(code, symbols);
	add_unwound(code, unwind, symbols);
	ARRAY_SORT(code->starts, code->start_count, compare_starts);
	return 0;
}

int code_open(const char *path, struct code **ret_code)
{
	struct code *code = calloc(1, sizeof(*code));
	int ret;

	if (!code)
		return -ENOMEM;
	code->demangler = demangler_new();
	code->names = strings_new();
	code->label = strdup(path_base(path));
	ret = code->demangler && code->names && code->label ? object_open_code(path, &code->object)
							    : -ENOMEM;
	if (!ret)
		ret = find_starts(code);
	if (ret) {
		code_close(code);
		return ret;
	}
	*ret_code = code;
	return 0;
}

struct code *code_close(struct code *code)
{
	if (!code)
		return NULL;
	object_close(code->object);
	demangler_free(code->demangler);
	strings_free(code->names);
	free(code->label);
	free(code->starts);
	free(code);
	return NULL;
}

/* As symbol/object.c calls nameless code, so that both agree. */
static int name_nameless(struct code *code, uint64_t start, const char **ret_name)
{
	char text[512];
	uint32_t id;
	int length = snprintf(text, sizeof(text), "%.480s+0x%" PRIx64, code->label, start);
	int ret = strings_add(code->names, text, (size_t)length, &id);

	if (!ret)
		*ret_name = strings_get(code->names, id);
	return ret;
}

int code_function_at(struct code *code, uint64_t address, struct code_function *ret_function)
{
	struct object_extent extent;
	const char *system, *shown;
	int found = object_extent(code->object, address, &extent), ret;

	if (found <= 0)
		return found;
	ret = extent.name ? demangler_show(code->demangler, extent.name, &system, &shown)
			  : name_nameless(code, extent.start, &shown);
	if (ret < 0)
		return ret;
	*ret_function = (struct code_function){extent.start, extent.end, shown};
	return 1;
}

const uint64_t *code_starts(const struct code *code, size_t *ret_count)
{
	*ret_count = code->start_count;
	return code->starts;
}

const struct spans *code_ranges(const struct code *code)
{
	return object_code(code->object);
}

int code_machine(const struct code *code)
{
	return object_machine(code->object);
}

const uint8_t *code_bytes(const struct code *code, uint64_t address, size_t size)
{
	return object_bytes(code->object, address, size);
}
