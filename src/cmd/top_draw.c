// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top.h"

#include "cmd/measuring.h"

#include "view/layout.h"
#include "view/section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the head on a high screen, and on one that has room for a line alone. */
#define HEAD 4
#define HEAD_LOW 1
#define LOW 9

static unsigned head_lines(const struct top *top)
{
	return screen_rows(top->screen) < LOW ? HEAD_LOW : HEAD;
}

size_t top_room(const struct top *top)
{
	unsigned rows = screen_rows(top->screen), taken = head_lines(top) + 1;

	taken += top->mode == TOP_LIST; /* titles */
	return rows > taken ? rows - taken : 1;
}

/* Draw the lines of TEXT from ROW on, ROOM at most; MARKED is one of them. */
static void draw_lines(struct top *top, unsigned row, size_t room, char *text, size_t marked)
{
	char *next = text;

	for (size_t i = 0; i < room; i++) {
		char *line = next ? strsep(&next, "\n") : NULL;

		screen_line(top->screen, row + (unsigned)i, line ? line : "", line && i == marked);
	}
}

static const char *state_of(const struct top *top)
{
	if (top->list.is_still)
		return "";
	if (!top->profile->facts.partial)
		return "ended";
	return top->paused ? "paused" : "";
}

/* Whose time it was, in classes; what could not be charged is in red. */
static void print_classes(const struct top *top, const struct section *section)
{
	for (int i = 0; i < PROFILE_CLASSES; i++) {
		uint64_t ticks = section->account.ticks[i];
		bool alarm = i == CLASS_UNRESOLVED && ticks && top->style.color;

		if (!section->account.listed[i])
			continue;
		(void)fprintf(section->out, "%s%s %s%s  ", alarm ? INK_ALARM : "",
			      profile_class_name((enum profile_class)i),
			      text_share((double)ticks / (double)section->account.total).text,
			      alarm ? INK_END : "");
	}
}

static void print_stacks(const struct section *section)
{
	uint64_t ends[STACK_ENDS], cut = 0;

	if (!tree_has_stacks(section->profile))
		return;
	tree_ends(section->profile, ends);
	for (int i = STACK_NONE + 1; i < STACK_ENDS; i++)
		cut += stack_end_is_cut((enum stack_end)i) ? ends[i] : 0;
	(void)fprintf(section->out, "cut stacks %s", text_count(cut).text);
}

/* Where screens are more than a second apart, for what they take. */
static void print_refresh(const struct top *top, FILE *out)
{
	uint64_t seconds = (top->refresh_ns + SECOND_NS / 2) / SECOND_NS;

	if (seconds > 1 && top->profile->facts.partial && !top->list.is_still)
		(void)fprintf(out, "every %" PRIu64 " s (r: now)  ", seconds);
}

static void print_head(const struct top *top, const struct section *section)
{
	const char *strong = top->style.color ? INK_STRONG : "", *end = *strong ? INK_END : "";
	const char *state = state_of(top);
	char *description = NULL;

	if (*state)
		(void)fprintf(section->out, "%s[%s]%s ", strong, state, end);
	text_print(section->out, head_subject(section));
	(void)fputc('\n', section->out);
	if (!head_describe(section, &description))
		text_print(section->out, description);
	free(description);
	(void)fputc('\n', section->out);
	if (top->seconds > 0)
		(void)fprintf(section->out, "%slast %.1f s: %s samples, %.0f/s, CPU %.1f %%%s  ",
			      strong, top->seconds, text_count(top->last_samples).text,
			      (double)top->last_samples / top->seconds,
			      (double)top->last_cpu_ns / 1e7 / top->seconds, end);
	print_refresh(top, section->out);
	print_classes(top, section);
	print_stacks(section);
	(void)fputc('\n', section->out);
	for (int i = 0; i < TOP_VIEWS; i++)
		(void)fprintf(section->out, "%s%d %s%s  ",
			      i == (int)top->list.view && top->style.color ? "\033[7m" : "", i + 1,
			      top_view_name((enum top_view)i), end);
	(void)fprintf(section->out, "by %s", top_sort_name(top->list.sort));
	if (*top->list.filter) {
		(void)fputs("  filter: ", section->out);
		text_print(section->out, top->list.filter);
	}
	(void)fputc('\n', section->out);
}

static void draw_head(struct top *top)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct section section;

	if (!out)
		return;
	section = section_of(out, top->profile, &top->style);
	print_head(top, &section);
	if (!fclose(out))
		draw_lines(top, 0, head_lines(top), text, SIZE_MAX);
	free(text);
}

static void draw_list(struct top *top)
{
	size_t room = top_room(top);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		return;
	if (*top->list.why.text) {
		text_print(out, top->list.why.text);
		ret = 0;
	} else {
		ret = top_list_print(out, &top->list, top->first, room, top->seconds, &top->style);
	}
	if (!fclose(out) && !ret)
		draw_lines(top, head_lines(top), room + 1, text, top->chosen - top->first + 1);
	free(text);
}

static void draw_page(struct top *top)
{
	char *copy = strdup(top->page ? top->page : ""), *text = copy;

	for (size_t i = 0; text && i < top->first; i++)
		(void)strsep(&text, "\n");
	if (copy)
		draw_lines(top, head_lines(top), top_room(top), text, SIZE_MAX);
	free(copy);
}

/* The last line: what is asked, what happened, or what keys there are. */
static void draw_foot(struct top *top)
{
	static const char *const keys[] = {
		[TOP_LIST] = ("q quit  Enter code  c callers  Tab sort  / filter  p pause  w save  "
			      "? help"),
		[TOP_CODE] = "Esc back  c callers  p pause  q quit",
		[TOP_CALLERS] = "Esc back  Enter code  p pause  q quit",
		[TOP_HELP] = "Esc back  q quit",
	};
	static const char still_keys[] =
		"q quit  Left Right fold  Enter code  c callers  Tab sort  / filter  ? help";
	const char *text = *top->message				 ? top->message
			   : top->list.is_still && top->mode == TOP_LIST ? still_keys
									 : keys[top->mode];
	char line[128];

	if (top->asking != TOP_ASKS_NOTHING) {
		(void)snprintf(line, sizeof(line), "%s: %s_",
			       top->asking == TOP_ASKS_FILTER ? "filter" : "save to", top->input);
		text = line;
	}
	screen_line(top->screen, screen_rows(top->screen) - 1, text, true);
}

void top_draw(struct top *top)
{
	if (!top->profile) {
		screen_line(top->screen, 0, "profil: measuring ...", false);
	} else {
		draw_head(top);
		if (top->mode == TOP_LIST)
			draw_list(top);
		else
			draw_page(top);
	}
	draw_foot(top);
	screen_show(top->screen);
}
