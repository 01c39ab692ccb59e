// SPDX-License-Identifier: BSD-2-Clause
#include "base/path.h"
#include "view/annotate_section.h"
#include "view/grid.h"
#include "view/markdown.h"

#include <inttypes.h>
#include <string.h>

/* For programs all of a function, and for reviews what has samples.  man/profil-annotate.1.scd has
 * JSON's fields. */

enum column {
	COLUMN_ADDRESS = 1,
	COLUMN_SIZE,
	COLUMN_TICKS,
	COLUMN_INSTRUCTION,
	COLUMN_TARGET,
	COLUMN_CALLEE,
	COLUMN_PLACE, /* for eyes: file and line */
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_INLINED,
	COLUMN_SOURCE,
	COLUMN_LOOP,
	COLUMN_SKID,
};

static const struct grid_column columns[] = {
	[COLUMN_ADDRESS] = {"address", .type = GRID_OFFSET},
	[COLUMN_SIZE] = {"size", .type = GRID_COUNT},
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_INSTRUCTION] = {"text", "instruction"},
	[COLUMN_TARGET] = {"target", .type = GRID_ADDRESS},
	[COLUMN_CALLEE] = {"callee"},
	[COLUMN_PLACE] = {"line"},
	[COLUMN_FILE] = {"file"},
	[COLUMN_LINE] = {"line", .type = GRID_COUNT},
	[COLUMN_INLINED] = {"inlined", .type = GRID_FUNCTION},
	[COLUMN_SOURCE] = {"source"},
	[COLUMN_LOOP] = {"loop", .type = GRID_COUNT},
	[COLUMN_SKID] = {"skid", .type = GRID_BOOL},
};

static const unsigned char json_lines[] = {COLUMN_TICKS,   COLUMN_FILE,	  COLUMN_LINE,
					   COLUMN_INLINED, COLUMN_SOURCE, 0};
static const unsigned char json_rows[] = {COLUMN_ADDRESS,     COLUMN_SIZE,   COLUMN_TICKS,
					  COLUMN_INSTRUCTION, COLUMN_TARGET, COLUMN_CALLEE,
					  COLUMN_FILE,	      COLUMN_LINE,   COLUMN_INLINED,
					  COLUMN_LOOP,	      COLUMN_SKID,   0};
static const unsigned char markdown_lines[] = {COLUMN_TICKS, COLUMN_PLACE, COLUMN_SOURCE,
					       COLUMN_INLINED, 0};
static const unsigned char markdown_rows[] = {COLUMN_TICKS,   COLUMN_ADDRESS, COLUMN_INSTRUCTION,
					      COLUMN_INLINED, COLUMN_PLACE,   0};

static void fill_place(struct grid *grid, const struct annotation *annotation,
		       const struct annotated_line *line)
{
	const char *path = annotation->files[line->file].path;

	if (line->number)
		grid->cells[COLUMN_PLACE].text =
			grid_format(grid, "%.280s:%" PRIu32, path_base(path), line->number);
	grid->cells[COLUMN_FILE].text = path;
	grid->cells[COLUMN_LINE].count = line->number;
}

static void add_line(struct grid *grid, const struct annotation *annotation,
		     const struct annotated_line *line)
{
	bool markdown = grid->style->form == REPORT_MARKDOWN;
	const char *text = source_file_line(&annotation->files[line->file].source, line->number);

	if (markdown && !line->ticks)
		return;
	text = text ? text : "";
	if (markdown)
		text = line->number ? text + strspn(text, " ") : "[no line known]";
	fill_place(grid, annotation, line);
	grid->cells[COLUMN_TICKS].count = line->ticks;
	grid->cells[COLUMN_INLINED].text = line->inlined ? line->inlined : "";
	grid->cells[COLUMN_SOURCE].text = text;
	grid_row(grid);
}

static void add_row(struct grid *grid, const struct annotation *annotation, uint32_t index)
{
	const struct annotated_row *row = &annotation->rows[index];
	uint32_t loop = annotation->loops.items ? annotation->loops.of_steps[index] : LOOP_NONE;
	struct grid_cell *cells = grid->cells;

	if (grid->style->form == REPORT_MARKDOWN && !row->ticks)
		return;
	fill_place(grid, annotation, &annotation->lines[row->line]);
	cells[COLUMN_ADDRESS].count = row->instruction.address;
	cells[COLUMN_SIZE].count = row->instruction.size;
	cells[COLUMN_TICKS].count = row->ticks;
	cells[COLUMN_INSTRUCTION].text = row->instruction.text;
	cells[COLUMN_INSTRUCTION].behind = row->skid ? " (skid)" : "";
	cells[COLUMN_TARGET].count = row->instruction.target;
	cells[COLUMN_CALLEE].text = row->callee ? row->callee : "";
	cells[COLUMN_INLINED].text = row->inlined ? row->inlined : "";
	cells[COLUMN_LOOP] = (struct grid_cell){.count = loop, .blank = loop == LOOP_NONE};
	cells[COLUMN_SKID].count = row->skid;
	grid_row(grid);
}

static struct grid grid_of(const struct section *section, const struct annotation *annotation,
			   struct json *json, const char *key)
{
	return (struct grid){
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = annotation->ticks,
		.key = key,
		.json = json,
	};
}

/* Markdown leaves out what was inlined where nothing was; a program's columns are always the same.
 */
static void add_columns(struct grid *grid, const struct annotation *annotation,
			const unsigned char *order)
{
	bool inlined = grid->json || annotate_has_inlined(annotation, /* shown= */ NULL);

	for (; *order; order++)
		if (*order != COLUMN_INLINED || inlined)
			grid_add_column(grid, *order);
	grid_begin(grid);
}

static int print_lines(const struct section *section, const struct annotation *annotation,
		       struct json *json)
{
	struct grid grid = grid_of(section, annotation, json, "lines");

	add_columns(&grid, annotation, json ? json_lines : markdown_lines);
	for (size_t i = 0; i < annotation->line_count; i++)
		add_line(&grid, annotation, &annotation->lines[i]);
	return grid_end(&grid);
}

static int print_rows(const struct section *section, const struct annotation *annotation,
		      struct json *json)
{
	struct grid grid = grid_of(section, annotation, json, "instructions");

	add_columns(&grid, annotation, json ? json_rows : markdown_rows);
	for (uint32_t i = 0; i < annotation->row_count; i++)
		add_row(&grid, annotation, i);
	return grid_end(&grid);
}

/* ---- JSON ---- */

static void print_files(struct json *json, const struct annotation *annotation)
{
	static const char *const states[] = {
		[SOURCE_READ] = "read",
		[SOURCE_MISSING] = "missing",
		[SOURCE_UNREADABLE] = "unreadable",
	};

	json_open_list(json, "files", /* lines= */ true);
	for (size_t i = 0; i < annotation->file_count; i++) {
		const struct annotated_file *file = &annotation->files[i];

		json_open_object(json, NULL, /* lines= */ false);
		json_add_string(json, "file", file->path);
		json_add_count(json, "samples", file->ticks);
		json_add_bool(json, "newer", file->is_newer);
		json_add_string(json, "source",
				*file->path ? states[file->source.state] : "unknown");
		json_close(json);
	}
	json_close(json);
}

static void print_loops(struct json *json, const struct annotation *annotation)
{
	const struct loops *loops = &annotation->loops;
	const struct annotated_row *rows = annotation->rows;

	json_open_list(json, "loops", /* lines= */ true);
	for (uint32_t i = 0; i < loops->count; i++) {
		const struct loop *loop = &loops->items[i];

		json_open_object(json, NULL, /* lines= */ false);
		json_add_count(json, "head", rows[loop->head].instruction.address);
		json_add_count(json, "first", rows[loop->first].instruction.address);
		json_add_count(json, "last", rows[loop->last].instruction.address);
		json_add_count(json, "instructions", loop->steps);
		grid_json_ticks(json, loop->ticks, annotation->ticks);
		if (loop->outer != LOOP_NONE)
			json_add_count(json, "outer", loop->outer);
		json_add_bool(json, "hot", i == loops->hot);
		json_close(json);
	}
	json_close(json);
}

static int print_function(const struct section *section, const struct annotation *annotation,
			  struct json *json)
{
	int ret;

	json_open_object(json, NULL, /* lines= */ false);
	grid_json_ticks(json, annotation->ticks, annotation->total);
	json_add_string(json, "function", annotation->function);
	json_add_string(json, "object", annotation->object);
	json_add_string(json, "path", annotation->path);
	json_add_string(json, "class", profile_class_name(annotation->class));
	json_add_count(json, "start", annotation->start);
	json_add_count(json, "end", annotation->end);
	json_add_count(json, "same_name", annotation->same_name);
	json_add_bool(json, "precise", annotation->is_precise);
	json_add_string(json, "no_code", annotation->why_no_code);
	print_files(json, annotation);
	ret = print_lines(section, annotation, json);
	if (!ret)
		ret = print_rows(section, annotation, json);
	print_loops(json, annotation);
	json_close(json);
	return ret;
}

int annotate_json(const struct section *section, const struct annotate_view *view)
{
	uint64_t total = section->account.total, shown = annotate_shown(view);
	struct json json = {.out = section->out};
	int ret = 0;

	json_head(section, &json);
	json_add_count(&json, "total", total);
	json_add_count(&json, "shown", shown);
	json_add_count(&json, "elsewhere", total - shown);
	json_add_count(&json, "matching", view->found);
	json_add_bool(&json, "inlined", view->inlined);
	json_open_list(&json, "functions", /* lines= */ true);
	for (size_t i = 0; i < view->count && !ret; i++)
		ret = print_function(section, view->functions[i], &json);
	json_close(&json);
	json_close(&json);
	return ret;
}

/* ---- Markdown ---- */

int annotate_markdown(const struct section *section, const struct annotate_view *view,
		      const struct annotate_style *style)
{
	uint64_t total = section->account.total, shown = annotate_shown(view);
	FILE *out = section->out;
	int ret = 0;

	for (size_t i = 0; i < view->count && !ret; i++) {
		const struct annotation *annotation = view->functions[i];

		(void)fputs("**", out);
		markdown_print_function(out, annotation->function);
		(void)fputs("** in ", out);
		markdown_print_code(out, annotation->object);
		(void)fprintf(out, ": %s of %s samples\n\n", text_count(annotation->ticks).text,
			      text_count(annotation->total).text);
		ret = (style->pane == PANE_SOURCE ? print_lines : print_rows)(section, annotation,
									      NULL);
		(void)fputc('\n', out);
	}
	(void)fprintf(out, "%s samples = %s above + %s elsewhere\n", text_count(total).text,
		      text_count(shown).text, text_count(total - shown).text);
	return ret;
}
