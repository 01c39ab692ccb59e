// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <inttypes.h>
#include <string.h>

/* A function by instruction, beside each the source line it is of. */

struct listing {
	const struct annotate_section *part;
	const struct annotation *annotation;
	struct annotate_listing rows;
	bool source;   /* any line is known */
	bool inlined;  /* any function was inlined */
	uint32_t line; /* of the row before, in annotation->lines */
};

static void print_titles(const struct listing *listing)
{
	FILE *out = listing->part->section->out;

	(void)fputs("<table class=\"code asm\"><thead><tr>", out);
	if (listing->part->ranks)
		(void)fputs("<th scope=col class=n>share<th scope=col class=v>95 % interval", out);
	(void)fputs("<th scope=col class=n>samples<th scope=col class=a>address"
		    "<th scope=col class=i>instruction",
		    out);
	html_print_inlined_title(out, listing->inlined);
	if (listing->source)
		(void)fputs("<th scope=col class=l>line<th scope=col class=t>source", out);
	(void)fputs("</thead><tbody>\n", out);
}

/* The line at a row that begins a run of it, blank below. */
static void print_source(struct listing *listing, uint32_t index)
{
	const struct annotation *annotation = listing->annotation;
	uint32_t number = annotation->rows[index].line;
	const struct annotated_line *line = &annotation->lines[number];
	const char *path = annotation->files[line->file].path, *slash = strrchr(path, '/');
	const char *text = annotate_text(annotation, number);
	FILE *out = listing->part->section->out;

	if (listing->line == number || !line->number) {
		listing->line = number;
		(void)fputs("<td class=l><td class=t>", out);
		return;
	}
	listing->line = number;
	(void)fputs("<td class=l>", out);
	if (line->file) {
		html_print_name(out, slash && slash[1] ? slash + 1 : path);
		(void)fputc(':', out);
	}
	(void)fprintf(out, "%" PRIu32 "<td class=t>", line->number);
	if (text)
		html_print_code(out, text + strnlen(text, listing->rows.indent));
}

static void print_instruction(const struct listing *listing, uint32_t index)
{
	const struct annotated_row *row = &listing->annotation->rows[index];
	FILE *out = listing->part->section->out;
	char arrows[JUMPS_TEXT];

	jumps_text(&listing->rows.jumps, listing->rows.visible[index], arrows);
	(void)fprintf(out, "<td class=a>%" PRIx64 "<td class=i><span class=j>%s</span>",
		      row->instruction.address, arrows);
	html_print_code(out, row->instruction.text);
	if (row->callee) {
		(void)fputs(" <span class=callee>", out);
		html_print_function(out, row->callee);
		(void)fputs("</span>", out);
	}
	if (row->skid)
		(void)fputs(
			" <abbr title=\"likely the samples of the slow instruction above\">↑ skid"
			"</abbr>",
			out);
}

static void print_row(struct listing *listing, uint32_t index)
{
	const struct annotate_section *part = listing->part;
	const struct loops *loops = &listing->annotation->loops;
	uint64_t ticks = listing->annotation->rows[index].ticks, total = part->annotation->ticks;
	bool hot = loops->items && loops->hot != LOOP_NONE && loops->of_steps[index] == loops->hot;
	FILE *out = part->section->out;

	(void)fprintf(out, "<tr%s", hot ? " class=hot" : "");
	if (ticks) {
		(void)fprintf(out, " data-ticks=%" PRIu64 " style=\"", ticks);
		html_print_heat(out, heat_of(ticks, part->peak));
		(void)fprintf(out, ";--w:%.1f%%\"", 100 * (double)ticks / (double)part->peak);
	}
	(void)fputc('>', out);
	html_print_share(out, ticks, total, part->ranks);
	html_print_interval(out, ticks, total, part->ranks);
	html_print_ticks(out, ticks);
	print_instruction(listing, index);
	html_print_inlined(out, listing->annotation->rows[index].inlined, listing->inlined);
	if (listing->source)
		print_source(listing, index);
	(void)fputc('\n', out);
}

/* The rows FIRST to END, which are not shown, as one. */
static void print_fold(struct listing *listing, uint32_t first, uint32_t end)
{
	const struct annotate_section *part = listing->part;
	FILE *out = part->section->out;
	char arrows[JUMPS_TEXT];
	uint64_t ticks = 0;

	for (uint32_t i = first; i < end; i++)
		ticks += listing->annotation->rows[i].ticks;
	jumps_text(&listing->rows.jumps, listing->rows.visible[first], arrows);
	(void)fprintf(out, "<tr class=fold data-ticks=%" PRIu64 ">", ticks);
	html_print_share(out, ticks, part->annotation->ticks, part->ranks);
	html_print_interval(out, ticks, part->annotation->ticks, part->ranks);
	html_print_ticks(out, ticks);
	(void)fprintf(out, "<td class=a><td class=i><span class=j>%s</span>⋮ %s %s", arrows,
		      text_count(end - first).text,
		      ticks ? "with fewer samples" : "without samples");
	html_print_inlined(out, /* name= */ NULL, listing->inlined);
	(void)fprintf(out, "%s\n", listing->source ? "<td class=l><td class=t>" : "");
	listing->line = ANNOTATE_NONE;
}

static void print_rows(struct listing *listing)
{
	uint32_t count = (uint32_t)listing->annotation->row_count, end;

	listing->line = ANNOTATE_NONE;
	for (uint32_t i = 0; i < count; i = end) {
		end = i + 1;
		if (listing->rows.shown[i]) {
			print_row(listing, i);
			continue;
		}
		while (end < count && !listing->rows.shown[end])
			end++;
		print_fold(listing, i, end);
	}
}

int html_listing(const struct annotate_section *function, bool source)
{
	struct listing listing = {
		.part = function, .annotation = function->annotation, .source = source};
	int ret = annotate_listing_init(function, &listing.rows);

	if (ret)
		return ret;
	listing.inlined = annotate_has_inlined(listing.annotation, listing.rows.shown);
	print_titles(&listing);
	print_rows(&listing);
	(void)fputs("</tbody></table>\n", function->section->out);
	annotate_listing_done(&listing.rows);
	return 0;
}
