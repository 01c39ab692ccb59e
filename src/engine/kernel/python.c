// SPDX-License-Identifier: BSD-2-Clause
/* Python's functions, as the BPF program has met them: interpreters into it, names out of it. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "engine/kernel/python_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/libbpf.h>

int kernel_python_configure(struct engine *engine)
{
	struct kernel *kernel = engine->kernel;
	bool wanted = kernel->rodata->wants_python && !engine->options.no_python;
	int ret;

	kernel->rodata->wants_python = wanted;
	if (!wanted)
		return 0;
	ret = bpf_map__set_max_entries(kernel->maps.python_threads, PYTHON_KNOWN);
	if (!ret)
		ret = bpf_map__set_max_entries(kernel->maps.python_names, PYTHON_NAMES);
	return ret ? ret : bpf_map__set_max_entries(kernel->maps.python_pieces, PYTHON_PIECES);
}

/* ---- interpreters ---- */

/* Each version once. */
static void take_unknown(struct engine *engine, const char *version)
{
	size_t count = ARRAY_LENGTH(engine->python_unknown), at = 0, end = 0;

	while (end < count && *engine->python_unknown[end])
		end++;
	while (at < end && strcmp(engine->python_unknown[at], version) < 0)
		at++;
	if (end == count || (at < end && !strcmp(engine->python_unknown[at], version)))
		return;
	memmove(engine->python_unknown[at + 1], engine->python_unknown[at],
		(end - at) * sizeof(*engine->python_unknown));
	(void)snprintf(engine->python_unknown[at], sizeof(*engine->python_unknown), "%s", version);
}

static int read_unknown(const struct engine *engine, struct histogram *histogram)
{
	char text[sizeof(engine->python_unknown) + 16] = "";
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(engine->python_unknown); i++)
		if (*engine->python_unknown[i])
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 i ? ", " : "", engine->python_unknown[i]);
	histogram->unknown_python = used ? strdup(text) : NULL;
	return used && !histogram->unknown_python ? -ENOMEM : 0;
}

uint32_t kernel_python_take(struct engine *engine, int fd)
{
	struct python_file file;

	if (!engine->kernel->rodata->wants_python || !python_file_read(fd, &file))
		return 0;
	if (!file.is_known)
		take_unknown(engine, file.why_not);
	if (!file.is_known || engine->python_count >= PYTHON_FILES)
		return 0;
	engine->kernel->bss->pythons[++engine->python_count] = file.offsets;
	return engine->python_count;
}

/* ---- texts ---- */

struct pieces {
	const struct kernel_python_piece *all;
	size_t count;
};

/* One character at TEXT; how many bytes of UTF-8 it takes. */
static size_t put_character(uint32_t character, char *to)
{
	if (character < 0x80) {
		*to = (char)character;
		return 1;
	}
	if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		character = 0xfffd; /* half of a pair, which no text of UTF-8 has */
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 0x3f));
		to[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | character >> 18);
	to[1] = (char)(0x80 | (character >> 12 & 0x3f));
	to[2] = (char)(0x80 | (character >> 6 & 0x3f));
	to[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

#define CUT "…"

/* NAME's text, heap; NULL where it is not there, or memory is short. */
static char *text_of(const struct pieces *pieces, const struct kernel_python_name *name)
{
	size_t needed = (name->size + PYTHON_PIECE - 1u) / PYTHON_PIECE, used = 0;
	const uint8_t *from = (const uint8_t *)(pieces->all + name->piece);
	char *text;

	if (name->piece > pieces->count || needed > pieces->count - name->piece)
		return NULL;
	text = malloc(3 * (size_t)name->size + sizeof(CUT)); /* 2 bytes become 3, at most */
	for (size_t i = 0; text && i + name->width <= name->size; i += name->width) {
		uint32_t character = 0;

		memcpy(&character, from + i, name->width);
		if (character)
			used += put_character(character, text + used);
	}
	if (text)
		(void)snprintf(text + used, sizeof(CUT), "%s", name->is_cut ? CUT : "");
	return text;
}

/* ---- names ---- */

struct named {
	uint64_t number;
	struct kernel_python_name name;
};

struct names {
	struct named *items; /* by number */
	uint32_t count;
	struct pieces pieces;
};

static int compare(const void *a, const void *b)
{
	ARRAY_COMPARE(((const struct named *)a)->number, ((const struct named *)b)->number);
	return 0;
}

static int add_function(const struct names *names, const struct named *function,
			struct kernel_pythons *pythons, struct histogram *histogram)
{
	const struct named *file =
		bsearch(&(struct named){.number = function->name.file}, names->items, names->count,
			sizeof(*names->items), compare);
	struct histogram_function added = {.line = function->name.line};

	if (ARRAY_RESERVE(histogram->functions, histogram->function_capacity,
			  histogram->function_count + 1))
		return -ENOMEM;
	added.name = text_of(&names->pieces, &function->name);
	added.file = file ? text_of(&names->pieces, &file->name) : NULL;
	if (!added.name || !added.file) {
		free(added.name);
		free(added.file);
		return 0; /* there was no room: it has no name */
	}
	pythons->numbers[pythons->count++] = function->number;
	histogram->functions[histogram->function_count++] = added;
	return 0;
}

static int add_functions(const struct names *names, struct kernel_pythons *pythons,
			 struct histogram *histogram)
{
	int ret = 0;

	pythons->numbers = calloc((size_t)names->count + 1, sizeof(*pythons->numbers));
	if (!pythons->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < names->count && !ret; i++)
		if (names->items[i].name.file)
			ret = add_function(names, &names->items[i], pythons, histogram);
	return ret;
}

static int read_names(struct engine *engine, struct names *names)
{
	struct kernel_python_name *values;
	uint64_t *numbers;
	int ret = kernel_map_read(engine->kernel->maps.python_names, (void **)&numbers,
				  (void **)&values, &names->count);

	if (ret)
		return ret;
	names->items = calloc((size_t)names->count + 1, sizeof(*names->items));
	for (uint32_t i = 0; names->items && i < names->count; i++)
		names->items[i] = (struct named){numbers[i], values[i]};
	free(numbers);
	free(values);
	if (!names->items)
		return -ENOMEM;
	ARRAY_SORT(names->items, names->count, compare);
	return 0;
}

static int read_all(struct engine *engine, struct kernel_pythons *pythons,
		    struct histogram *histogram)
{
	const struct bpf_map *map = engine->kernel->maps.python_pieces;
	size_t size = PYTHON_PIECES * sizeof(struct kernel_python_piece);
	struct names names = {.pieces.count = PYTHON_PIECES};
	void *pieces = mmap(NULL, size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	int ret;

	if (pieces == MAP_FAILED)
		return -errno;
	names.pieces.all = pieces;
	ret = read_names(engine, &names);
	if (!ret)
		ret = add_functions(&names, pythons, histogram);
	free(names.items);
	(void)munmap(pieces, size);
	return ret;
}

int kernel_python_read(struct engine *engine, struct kernel_pythons *ret_pythons,
		       struct histogram *histogram)
{
	int ret = read_unknown(engine, histogram);

	if (!ret && engine->python_count)
		ret = read_all(engine, ret_pythons, histogram);
	return ret;
}

static int compare_numbers(const void *a, const void *b)
{
	ARRAY_COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
	return 0;
}

uint32_t kernel_python_index(const struct kernel_pythons *pythons, uint64_t number)
{
	const uint64_t *found = pythons->count ? bsearch(&number, pythons->numbers, pythons->count,
							 sizeof(*pythons->numbers), compare_numbers)
					       : NULL;

	return found ? (uint32_t)(found - pythons->numbers) : HISTOGRAM_NO_FUNCTION;
}
