// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include <inttypes.h>

/* One JSON object; man/profil-annotate.1.scd has its fields. */

static const char *const states[] = {
	[SOURCE_READ] = "read",
	[SOURCE_MISSING] = "missing",
	[SOURCE_UNREADABLE] = "unreadable",
};

static const char *path_of(const struct annotation *annotation, const struct annotated_line *line)
{
	return annotation->files[line->file].path;
}

static void print_files(FILE *out, const struct annotation *annotation)
{
	(void)fputs("     \"files\": [", out);
	for (size_t i = 0; i < annotation->file_count; i++) {
		const struct annotated_file *file = &annotation->files[i];

		(void)fputs(i ? ",\n      {" : "\n      {", out);
		json_print_text(out, "file", file->path);
		json_print_count(out, "ticks", file->ticks);
		json_print_bool(out, "newer", file->is_newer);
		(void)fprintf(out, "\"source\": \"%s\"}",
			      *file->path ? states[file->source.state] : "unknown");
	}
	(void)fputs("],\n", out);
}

static void print_lines(FILE *out, const struct annotation *annotation)
{
	(void)fputs("     \"lines\": [", out);
	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct annotated_line *line = &annotation->lines[i];
		const char *text =
			source_file_line(&annotation->files[line->file].source, line->number);

		(void)fputs(i ? ",\n      {" : "\n      {", out);
		json_print_share(out, line->ticks, annotation->ticks);
		json_print_text(out, "file", path_of(annotation, line));
		json_print_count(out, "line", line->number);
		json_print_text(out, "inlined", line->inlined ? line->inlined : "");
		(void)fputs("\"source\": ", out);
		json_print_string(out, text ? text : "");
		(void)fputc('}', out);
	}
	(void)fputs("],\n", out);
}

static void print_row(FILE *out, const struct annotation *annotation, uint32_t index)
{
	const struct annotated_row *row = &annotation->rows[index];
	const struct annotated_line *line = &annotation->lines[row->line];

	(void)fputs(index ? ",\n      {" : "\n      {", out);
	json_print_count(out, "address", row->instruction.address);
	json_print_count(out, "size", row->instruction.size);
	json_print_share(out, row->ticks, annotation->ticks);
	json_print_text(out, "text", row->instruction.text);
	json_print_count(out, "target", row->instruction.target);
	json_print_text(out, "callee", row->callee ? row->callee : "");
	json_print_text(out, "file", path_of(annotation, line));
	json_print_count(out, "line", line->number);
	json_print_text(out, "inlined", row->inlined ? row->inlined : "");
	if (annotation->loops.items && annotation->loops.of_steps[index] != LOOP_NONE)
		json_print_count(out, "loop", annotation->loops.of_steps[index]);
	(void)fprintf(out, "\"skid\": %s}", row->skid ? "true" : "false");
}

static void print_rows(FILE *out, const struct annotation *annotation)
{
	(void)fputs("     \"instructions\": [", out);
	for (uint32_t i = 0; i < annotation->row_count; i++)
		print_row(out, annotation, i);
	(void)fputs("],\n", out);
}

static void print_loops(FILE *out, const struct annotation *annotation)
{
	const struct loops *loops = &annotation->loops;

	(void)fputs("     \"loops\": [", out);
	for (uint32_t i = 0; i < loops->count; i++) {
		const struct loop *loop = &loops->items[i];

		(void)fputs(i ? ",\n      {" : "\n      {", out);
		json_print_count(out, "head", annotation->rows[loop->head].instruction.address);
		json_print_count(out, "first", annotation->rows[loop->first].instruction.address);
		json_print_count(out, "last", annotation->rows[loop->last].instruction.address);
		json_print_count(out, "instructions", loop->steps);
		json_print_share(out, loop->ticks, annotation->ticks);
		if (loop->outer != LOOP_NONE)
			json_print_count(out, "outer", loop->outer);
		(void)fprintf(out, "\"hot\": %s}", i == loops->hot ? "true" : "false");
	}
	(void)fputs("]}", out);
}

static void print_function(FILE *out, const struct annotation *annotation)
{
	(void)fputs("    {", out);
	json_print_share(out, annotation->ticks, annotation->total);
	json_print_text(out, "function", annotation->function);
	json_print_text(out, "object", annotation->object);
	json_print_text(out, "path", annotation->path);
	json_print_text(out, "class", profile_class_name(annotation->class));
	json_print_count(out, "start", annotation->start);
	json_print_count(out, "end", annotation->end);
	json_print_count(out, "same_name", annotation->same_name);
	json_print_bool(out, "precise", annotation->is_precise);
	(void)fputs("\"no_code\": ", out);
	json_print_string(out, annotation->why_no_code);
	(void)fputs(",\n", out);
	print_files(out, annotation);
	print_lines(out, annotation);
	print_rows(out, annotation);
	print_loops(out, annotation);
}

void annotate_json(const struct section *section, const struct annotate_view *view)
{
	uint64_t shown = 0;

	for (size_t i = 0; i < view->count; i++)
		shown += view->functions[i]->ticks;
	json_print_head(section);
	(void)fprintf(section->out,
		      "  \"total\": %" PRIu64 ",\n  \"shown\": %" PRIu64
		      ",\n  \"elsewhere\": %" PRIu64 ",\n  \"matching\": %zu,\n"
		      "  \"inlined\": %s,\n  \"functions\": [",
		      section->account.total, shown, section->account.total - shown, view->found,
		      view->inlined ? "true" : "false");
	for (size_t i = 0; i < view->count; i++) {
		(void)fputs(i ? ",\n" : "\n", section->out);
		print_function(section->out, view->functions[i]);
	}
	(void)fputs("\n  ]\n}\n", section->out);
}
