// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/hex.h"
#include "symbol/source.h"
#include "symbol/symtab.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* /proc/kallsyms: the kernel's symbols, a hundred thousand lines "address type name [module]" that
 * are costly to read and to keep.  The list is not sorted over all, and has no sizes.
 *
 * It is read once, keeping one symbol an asked address: the last one at or before it, but after the
 * asked address before that.  Where there is none, the answer is that of the address before. */

/* A symbol further from an address than any function is long says nothing of it. */
#define FUNCTION_MAX (256 * 1024)

#define READ_SIZE (64 * 1024)

struct candidate {
	uint64_t start; /* 0: none */
	char *name;	/* heap */
	size_t capacity;
};

struct line {
	uint64_t start;
	const char *name;
	size_t length; /* of the name */
};

/* "ffffffff81000000 T name" or "... t name\t[module]".  False for what is not a function, or has
 * its address hidden (kernel.kptr_restrict). */
static bool parse_line(const char *text, struct line *ret_line)
{
	uint64_t start;

	if (!hex_field(&text, &start) || !start || !text[0] || !strchr("TtWw", text[0]))
		return false;
	if (text[1] != ' ' || text[2] == '\n' || !text[2])
		return false;
	*ret_line = (struct line){start, text + 2, strcspn(text + 2, "\n")};
	return true;
}

/* Of symbols at one address the one with fewer underscores: section marks have many. */
static bool is_better(const struct line *line, const struct candidate *known)
{
	if (!known->start || line->start != known->start)
		return line->start > known->start;
	return symtab_better_name(line->name, known->name) > 0;
}

static int keep(struct candidate *candidate, const struct line *line)
{
	char *tab;

	if (ARRAY_RESERVE(candidate->name, candidate->capacity, line->length + 1))
		return -ENOMEM;
	memcpy(candidate->name, line->name, line->length);
	candidate->name[line->length] = '\0';
	tab = strchr(candidate->name, '\t');
	if (tab)
		*tab = ' ';
	candidate->start = line->start;
	return 0;
}

static int read_list(FILE *file, const struct symbol_batch *batch, struct candidate *candidates)
{
	char *text = NULL;
	size_t room = 0;
	int result = 0;

	while (!result && getline(&text, &room, file) > 0) {
		struct line line;
		size_t index;

		if (!parse_line(text, &line))
			continue;
		index = batch_lower_bound(batch, line.start);
		if (index < batch->count && is_better(&line, &candidates[index]))
			result = keep(&candidates[index], &line);
	}
	free(text);
	return result;
}

static int take_all(const struct symbol_batch *batch, const struct candidate *candidates)
{
	const struct candidate *nearest = NULL;
	int result = 0;

	for (size_t i = 0; i < batch->count && !result; i++) {
		if (candidates[i].start)
			nearest = &candidates[i];
		if (nearest && batch->addresses[i] - nearest->start < FUNCTION_MAX)
			result = batch_take(batch, i, SYMBOL_NAMED, nearest->name);
		else
			result = batch_take_unknown(batch, i, "[kernel]");
	}
	return result;
}

static int name_by(FILE *file, const struct symbol_batch *batch)
{
	struct candidate *candidates = calloc(batch->count, sizeof(*candidates));
	int result;

	if (!candidates)
		return -ENOMEM;
	setvbuf(file, NULL, _IOFBF, READ_SIZE);
	result = read_list(file, batch, candidates);
	if (!result)
		result = take_all(batch, candidates);
	for (size_t i = 0; i < batch->count; i++)
		free(candidates[i].name);
	free(candidates);
	return result;
}

static int kallsyms_name_batch(const struct symbol_batch *batch)
{
	FILE *file = fopen(batch->symbols->kallsyms_path, "re");
	int result;

	if (!file)
		return batch_take_all_unknown(batch, "[kernel]");
	result = name_by(file, batch);
	fclose(file);
	return result;
}

const struct symbol_source_ops kallsyms_source = {
	.name = "kallsyms",
	.name_batch = kallsyms_name_batch,
};
