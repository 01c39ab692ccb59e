// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <inttypes.h>

/* A function by source line. */

struct source_table {
	const struct annotate_section *part;
	bool inlined; /* a column names the function that was inlined at the line */
};

static void print_numbers(const struct annotate_section *part, uint64_t ticks)
{
	FILE *out = part->section->out;

	html_print_share(out, ticks, part->annotation->ticks, part->ranks);
	html_print_interval(out, ticks, part->annotation->ticks, part->ranks);
	html_print_ticks(out, ticks);
}

static int print_file(void *context, const struct annotated_file *file)
{
	const struct source_table *table = context;
	const struct annotate_section *part = table->part;
	FILE *out = part->section->out;

	(void)fprintf(out, "<tr class=file><th scope=rowgroup colspan=%d>",
		      (part->ranks ? 5 : 3) + table->inlined);
	html_print_name(out, *file->path ? file->path : "[no source known]");
	(void)fputc('\n', out);
	return 0;
}

static int print_line(void *context, const struct annotated_file *file, uint32_t number,
		      const struct annotated_line *line)
{
	const struct source_table *table = context;
	const struct annotate_section *part = table->part;
	const char *text = source_file_line(&file->source, number);
	uint64_t ticks = line ? line->ticks : 0;
	FILE *out = part->section->out;

	(void)fputs("<tr", out);
	if (ticks) {
		(void)fprintf(out, " data-ticks=%" PRIu64 " style=\"", ticks);
		html_print_heat(out, heat_of(ticks, part->peak));
		(void)fprintf(out, ";--w:%.1f%%\"", 100 * (double)ticks / (double)part->peak);
	}
	(void)fputc('>', out);
	print_numbers(part, ticks);
	(void)fputs("<td class=l>", out);
	if (number)
		(void)fprintf(out, "%" PRIu32, number);
	(void)fputs("<td class=t>", out);
	html_print_code(out, !number ? "[no line known]" : text ? text : "");
	html_print_inlined(out, line ? line->inlined : NULL, table->inlined);
	(void)fputc('\n', out);
	return 0;
}

static int print_fold(void *context, size_t count, uint64_t ticks)
{
	const struct source_table *table = context;
	FILE *out = table->part->section->out;

	(void)fprintf(out, "<tr class=fold data-ticks=%" PRIu64 ">", ticks);
	print_numbers(table->part, ticks);
	(void)fprintf(out, "<td class=l><td class=t>⋮ %s %s", text_count(count).text,
		      ticks ? "with fewer samples" : "without samples");
	html_print_inlined(out, /* name= */ NULL, table->inlined);
	(void)fputc('\n', out);
	return 0;
}

static const struct annotate_source_ops source_ops = {
	.file = print_file,
	.line = print_line,
	.fold = print_fold,
};

int html_source(const struct annotate_section *function)
{
	struct source_table table = {
		.part = function,
		.inlined = annotate_has_inlined(function->annotation, /* shown= */ NULL),
	};
	FILE *out = function->section->out;
	int ret;

	(void)fprintf(out,
		      "<table class=\"code source\"><thead><tr>%s<th scope=col class=n>samples"
		      "<th scope=col class=l>line<th scope=col class=t>source",
		      function->ranks
			      ? "<th scope=col class=n>share<th scope=col class=v>95 % interval"
			      : "");
	html_print_inlined_title(out, table.inlined);
	(void)fputs("</thead><tbody>\n", out);
	ret = annotate_source_walk(function, &source_ops, &table);
	(void)fputs("</tbody></table>\n", out);
	return ret;
}
