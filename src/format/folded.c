// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/names.h"
#include "base/array.h"
#include "format/frame.h"
#include "format/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Folded stacks, as flame graphs are drawn from: "outermost;...;innermost ticks" on a line.  A
 * histogram keeps no callers, so that a stack is the process or thread (where the profile has
 * them), the object, and the function of the symbol table. */

struct stack {
	char *text;
	uint64_t ticks;
};

static int put_name(FILE *out, const char *name)
{
	/* A semicolon parts frames, and a blank and digits would be taken for the count. */
	for (; *name; name++) {
		char c = *name;

		if (c == ';')
			c = ':';
		else if (c == '\n' || c == '\r')
			c = ' ';
		if (fwrite(&c, 1, 1, out) != 1)
			return -ENOMEM;
	}
	return fwrite(";", 1, 1, out) == 1 ? 0 : -ENOMEM;
}

static int put_stack(FILE *out, const struct profile *profile, const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];
	struct frame frame;
	int ret = 0;

	if (cell->task != PROFILE_NO_TASK)
		ret = put_name(out, profile_text(profile, profile->tasks[cell->task].name));
	if (ret >= 0)
		ret = put_name(out, names_object(profile, location->mapping));
	if (ret >= 0)
		ret = frame_of_function(profile, location, &frame);
	if (ret < 0)
		return ret;
	ret = put_name(out, frame.name);
	frame_done(&frame);
	return ret;
}

static int make_stack(const struct profile *profile, const struct profile_cell *cell,
		      struct stack *ret_stack)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return -ENOMEM;
	ret = put_stack(out, profile, cell);
	if (fclose(out) || !text)
		ret = -ENOMEM;
	if (ret < 0) {
		free(text);
		return ret;
	}
	text[size - 1] = '\0'; /* the last semicolon */
	*ret_stack = (struct stack){text, cell->ticks};
	return 0;
}

static int compare_stacks(const void *left, const void *right)
{
	const struct stack *a = left, *b = right;

	return strcmp(a->text, b->text);
}

static void print_stacks(struct output *output, struct stack *stacks, size_t count)
{
	uint64_t ticks = 0;

	ARRAY_SORT(stacks, count, compare_stacks);
	for (size_t i = 0; i < count; i++) {
		ticks += stacks[i].ticks;
		if (i + 1 < count && !compare_stacks(&stacks[i], &stacks[i + 1]))
			continue;
		output_print(output, "%s %" PRIu64 "\n", stacks[i].text, ticks);
		ticks = 0;
	}
}

static int write_folded(const struct profile *profile, const char *path, struct error *ret_left,
			struct error *reterr)
{
	struct stack *stacks = calloc(profile->cell_count + 1, sizeof(*stacks));
	struct output output;
	size_t count = 0;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0) {
		free(stacks);
		return ret;
	}
	*ret_left = (struct error){""};
	ret = stacks ? 0 : -ENOMEM;
	while (ret >= 0 && count < profile->cell_count) {
		ret = make_stack(profile, &profile->cells[count], &stacks[count]);
		count += ret >= 0;
	}
	if (ret >= 0)
		print_stacks(&output, stacks, count);
	for (size_t i = 0; i < count; i++)
		free(stacks[i].text);
	free(stacks);
	return output_close(&output, ret, reterr);
}

const struct format_ops folded_format = {
	.name = "folded",
	.summary = "folded stacks, for flame graphs",
	.write = write_folded,
};
