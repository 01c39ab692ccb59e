// SPDX-License-Identifier: BSD-2-Clause
#include "view/gprof_section.h"
#include "view/grid.h"
#include "view/section.h"

/* The functions and their calls for programs and for reviews; man/profil-gprof.1.scd has the
 * fields of JSON and CSV. */

enum column {
	COLUMN_FUNCTION = 1,
	COLUMN_OBJECT,
	COLUMN_PATH,
	COLUMN_TICKS,
	COLUMN_NAME,
	COLUMN_CALLER_INDEX,
	COLUMN_CALLEE_INDEX,
	COLUMN_CALLER,
	COLUMN_CALLER_OBJECT,
	COLUMN_CALLEE,
	COLUMN_CALLEE_OBJECT,
	COLUMN_CALLS,
	COLUMN_SELF_CALLS,
	COLUMN_UNKNOWN_CALLS,
	COLUMN_CYCLE,
	COLUMN_SHOWN,
	COLUMN_SELF,
	COLUMN_BELOW,
	COLUMN_WITH_BELOW,
};

static const struct grid_column columns[] = {
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION},
	[COLUMN_OBJECT] = {"object"},
	[COLUMN_PATH] = {"path"},
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_NAME] = {"name"},
	[COLUMN_CALLER_INDEX] = {"caller", .type = GRID_COUNT},
	[COLUMN_CALLEE_INDEX] = {"callee", .type = GRID_COUNT},
	[COLUMN_CALLER] = {"caller", .type = GRID_FUNCTION},
	[COLUMN_CALLER_OBJECT] = {"caller_object"},
	[COLUMN_CALLEE] = {"callee", "function", GRID_FUNCTION},
	[COLUMN_CALLEE_OBJECT] = {"callee_object"},
	[COLUMN_CALLS] = {"calls", .type = GRID_COUNT},
	[COLUMN_SELF_CALLS] = {"self_calls", .type = GRID_COUNT},
	[COLUMN_UNKNOWN_CALLS] = {"unknown_calls", .type = GRID_COUNT},
	[COLUMN_CYCLE] = {"cycle", .type = GRID_COUNT},
	[COLUMN_SHOWN] = {"shown", .type = GRID_BOOL},
	[COLUMN_SELF] = {"self", .type = GRID_REAL},
	[COLUMN_BELOW] = {"below", .type = GRID_REAL},
	[COLUMN_WITH_BELOW] = {"with below", .right = true},
};

/* By form. */
static const unsigned char of_functions[][11] = {
	[REPORT_JSON] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_OBJECT, COLUMN_PATH, COLUMN_CALLS,
			 COLUMN_SELF_CALLS, COLUMN_UNKNOWN_CALLS, COLUMN_CYCLE, COLUMN_SHOWN,
			 COLUMN_BELOW},
	[REPORT_CSV] = {COLUMN_FUNCTION, COLUMN_OBJECT, COLUMN_PATH, COLUMN_TICKS, COLUMN_CALLS,
			COLUMN_SELF_CALLS, COLUMN_UNKNOWN_CALLS, COLUMN_BELOW, COLUMN_CYCLE},
	[REPORT_MARKDOWN] = {COLUMN_TICKS, COLUMN_CALLS, COLUMN_WITH_BELOW, COLUMN_FUNCTION,
			     COLUMN_OBJECT},
};
static const unsigned char of_calls[][8] = {
	[REPORT_JSON] = {COLUMN_CALLER_INDEX, COLUMN_CALLEE_INDEX, COLUMN_CALLS, COLUMN_SELF,
			 COLUMN_BELOW},
	[REPORT_CSV] = {COLUMN_CALLER, COLUMN_CALLER_OBJECT, COLUMN_CALLEE, COLUMN_CALLEE_OBJECT,
			COLUMN_CALLS, COLUMN_SELF, COLUMN_BELOW},
	[REPORT_MARKDOWN] = {COLUMN_CALLS, COLUMN_CALLER, COLUMN_CALLEE},
};

/* JSON has all functions, for its calls refer to them by their index. */
static bool is_shown(const struct gprof_section *section, const struct callgraph_node *node)
{
	if (section->style->form == REPORT_JSON)
		return true;
	if (section->style->form == REPORT_CSV ? !gprof_has_anything(node)
					       : !node->ticks && !node->calls)
		return false;
	return gprof_wants(section, node);
}

static void add_function(const struct gprof_section *section, struct grid *grid,
			 const struct callgraph_node *node)
{
	struct grid_cell *cells = grid->cells;
	double ticks = (double)node->ticks, total = (double)section->graph->ticks;

	if (!is_shown(section, node))
		return;
	cells[COLUMN_FUNCTION].text = cells[COLUMN_NAME].text = node->name;
	cells[COLUMN_OBJECT].text = node->object;
	cells[COLUMN_PATH].text = node->path;
	cells[COLUMN_TICKS].count = node->ticks;
	cells[COLUMN_CALLS].count = node->calls;
	cells[COLUMN_SELF_CALLS].count = node->self_calls;
	cells[COLUMN_UNKNOWN_CALLS].count = node->unknown_calls;
	cells[COLUMN_CYCLE].count = node->cycle == CALLGRAPH_NONE ? 0 : node->cycle + 1;
	cells[COLUMN_SHOWN].count = gprof_wants(section, node);
	cells[COLUMN_BELOW].real = node->below;
	cells[COLUMN_WITH_BELOW].text = grid_format(
		grid, "%s", text_share(total > 0 ? (ticks + node->below) / total : 0).text);
	grid_row(grid);
}

static void add_calls(const struct gprof_section *section, struct grid *grid,
		      const struct callgraph_arc *arc)
{
	const struct callgraph_node *caller = &section->graph->nodes[arc->caller];
	const struct callgraph_node *callee = &section->graph->nodes[arc->callee];
	struct grid_cell *cells = grid->cells;

	if (section->style->form != REPORT_JSON && !gprof_wants(section, callee))
		return;
	cells[COLUMN_CALLER_INDEX].count = arc->caller;
	cells[COLUMN_CALLEE_INDEX].count = arc->callee;
	cells[COLUMN_CALLER].text = caller->name;
	cells[COLUMN_CALLER_OBJECT].text = caller->object;
	cells[COLUMN_CALLEE].text = callee->name;
	cells[COLUMN_CALLEE_OBJECT].text = callee->object;
	cells[COLUMN_CALLS].count = arc->count;
	cells[COLUMN_SELF].real = arc->own;
	cells[COLUMN_BELOW].real = arc->below;
	grid_row(grid);
}

static int print_table(const struct gprof_section *section, bool calls, struct json *json)
{
	const struct callgraph *graph = section->graph;
	struct report_style style = {.form = section->style->form, .utf8 = section->style->utf8};
	struct grid grid = {
		.out = section->out,
		.style = &style,
		.columns = columns,
		.total = graph->ticks,
		.key = calls ? "arcs" : "functions",
		.json = json,
	};

	grid_add_columns(&grid, calls ? of_calls[style.form] : of_functions[style.form]);
	grid_begin(&grid);
	for (size_t i = 0; !calls && i < graph->node_count; i++)
		add_function(section, &grid, &graph->nodes[i]);
	for (size_t i = 0; calls && i < graph->arc_count; i++)
		add_calls(section, &grid, &graph->arcs[i]);
	return grid_end(&grid);
}

/* ---- JSON ---- */

static void print_inlined(const struct callgraph *graph, struct json *json)
{
	json_open_list(json, "inlined", /* lines= */ true);
	for (size_t i = 0; i < graph->inlined_count; i++) {
		json_open_object(json, NULL, /* lines= */ false);
		json_add_count(json, "into", graph->inlined[i].node);
		json_add_count(json, "samples", graph->inlined[i].ticks);
		json_add_string(json, "name", graph->inlined[i].name);
		json_close(json);
	}
	json_close(json);
}

static void print_cycles(const struct callgraph *graph, struct json *json)
{
	json_open_list(json, "cycles", /* lines= */ true);
	for (size_t i = 0; i < graph->cycle_count; i++) {
		const struct callgraph_cycle *cycle = &graph->cycles[i];

		json_open_object(json, NULL, /* lines= */ false);
		json_add_count(json, "samples", cycle->ticks);
		json_add_real(json, "below", cycle->below);
		json_add_count(json, "calls", cycle->calls);
		json_add_count(json, "inner_calls", cycle->inner_calls);
		json_open_list(json, "functions", /* lines= */ false);
		for (uint32_t j = 0; j < cycle->count; j++)
			json_add_count(json, NULL, graph->members[cycle->first + j]);
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void print_doubts(const struct doubts *doubts, struct json *json)
{
	json_open_list(json, "doubts", /* lines= */ true);
	for (size_t i = 0; i < doubts->count; i++) {
		const struct doubt *doubt = &doubts->items[i];

		json_open_object(json, NULL, /* lines= */ false);
		json_add_count(json, "function", doubt->node);
		json_add_count(json, "callers", doubt->callers);
		json_add_real(json, "stake", doubt->stake);
		json_add_bool(json, "contradicted", doubt->contradicted);
		json_add_real(json, "z", doubt->score);
		json_add_real(json, "least", doubt->least);
		json_add_real(json, "most", doubt->most);
		json_close(json);
	}
	json_close(json);
}

int gprof_print_json(const struct gprof_section *section)
{
	struct section head = {.out = section->out, .profile = section->profile};
	struct json json = {.out = section->out};
	int ret;

	profile_account(section->profile, &head.account);
	json_head(&head, &json);
	json_add_count(&json, "total", section->graph->ticks);
	json_add_count(&json, "calls", section->graph->calls);
	ret = print_table(section, /* calls= */ false, &json);
	if (!ret)
		ret = print_table(section, /* calls= */ true, &json);
	print_inlined(section->graph, &json);
	print_cycles(section->graph, &json);
	print_doubts(section->doubts, &json);
	json_close(&json);
	return ret;
}

/* ---- CSV and Markdown ---- */

int gprof_print_csv(const struct gprof_section *section)
{
	return print_table(section, /* calls= */ section->style->no_flat, NULL);
}

int gprof_print_markdown(const struct gprof_section *section)
{
	const struct gprof_style *style = section->style;
	int ret = style->no_flat ? 0 : print_table(section, /* calls= */ false, NULL);

	if (!style->no_flat && !style->no_graph)
		(void)fputc('\n', section->out);
	if (!style->no_graph && !ret)
		ret = print_table(section, /* calls= */ true, NULL);
	if (section->doubts->count)
		(void)fputc('\n', section->out);
	gprof_print_doubts(section);
	return ret;
}
