// SPDX-License-Identifier: BSD-2-Clause
#include "format/folded.h"

#include "analysis/names.h"
#include "analysis/tree.h"
#include "base/array.h"
#include "format/frame.h"
#include "format/output.h"
#include "format/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Folded stacks, as flame graphs are drawn from: "outermost;...;innermost ticks" on a line.  A
 * stack is the process or thread (where the profile has them), then its functions of the symbol
 * table. Where the profile has no call stacks, it is the object and the function. */

struct line {
	char *text;
	uint64_t ticks;
};

struct folding {
	const struct profile *profile;
	bool has_stacks;
	struct stack stack;
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

static int put_function(FILE *out, const struct profile *profile, uint32_t location)
{
	struct frame frame;
	int ret = frame_of_function(profile, &profile->locations[location], &frame);

	if (ret < 0)
		return ret;
	ret = put_name(out, frame.name);
	frame_done(&frame);
	return ret;
}

static int put_stack(FILE *out, struct folding *folding, const struct profile_cell *cell)
{
	const struct profile *profile = folding->profile;
	int ret = stack_fill(&folding->stack, profile, cell);

	if (ret >= 0 && tree_is_cut(profile, cell))
		ret = put_name(out, stack_cut_name(cell).text);
	for (size_t i = 0; i < folding->stack.count && ret >= 0; i++)
		ret = put_function(out, profile, folding->stack.frames[i].location);
	return ret;
}

static int put_line(FILE *out, struct folding *folding, const struct profile_cell *cell)
{
	const struct profile *profile = folding->profile;
	int ret = 0;

	if (cell->task != PROFILE_NO_TASK)
		ret = put_name(out, profile_text(profile, profile->tasks[cell->task].name));
	if (ret >= 0 && folding->has_stacks)
		return put_stack(out, folding, cell);
	if (ret >= 0)
		ret = put_name(out,
			       names_object(profile, profile->locations[cell->location].mapping));
	return ret < 0 ? ret : put_function(out, profile, cell->location);
}

static int make_line(struct folding *folding, const struct profile_cell *cell,
		     struct line *ret_line)
{
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return -ENOMEM;
	ret = put_line(out, folding, cell);
	if (fclose(out) || !text)
		ret = -ENOMEM;
	if (ret < 0) {
		free(text);
		return ret;
	}
	text[size - 1] = '\0'; /* the last semicolon */
	*ret_line = (struct line){text, cell->ticks};
	return 0;
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	return strcmp(a->text, b->text);
}

static void print_lines(struct output *output, struct line *lines, size_t count)
{
	uint64_t ticks = 0;

	ARRAY_SORT(lines, count, compare_lines);
	for (size_t i = 0; i < count; i++) {
		ticks += lines[i].ticks;
		if (i + 1 < count && !compare_lines(&lines[i], &lines[i + 1]))
			continue;
		output_print(output, "%s %" PRIu64 "\n", lines[i].text, ticks);
		ticks = 0;
	}
}

static int write_folded(const struct profile *profile, const char *path, struct error *ret_left,
			struct error *reterr)
{
	struct line *lines = calloc(profile->cell_count + 1, sizeof(*lines));
	struct folding folding = {.profile = profile, .has_stacks = tree_has_stacks(profile)};
	struct output output;
	size_t count = 0;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0) {
		free(lines);
		return ret;
	}
	*ret_left = (struct error){""};
	ret = lines ? 0 : -ENOMEM;
	while (ret >= 0 && count < profile->cell_count) {
		ret = make_line(&folding, &profile->cells[count], &lines[count]);
		count += ret >= 0;
	}
	if (ret >= 0)
		print_lines(&output, lines, count);
	for (size_t i = 0; i < count; i++)
		free(lines[i].text);
	free(lines);
	stack_done(&folding.stack);
	return output_close(&output, ret, reterr);
}

const struct format_ops folded_format = {
	.name = "folded",
	.summary = "folded stacks, for flame graphs",
	.recognises = folded_recognises,
	.read = folded_read,
	.calls_inlined = true,
	.write = write_folded,
};
