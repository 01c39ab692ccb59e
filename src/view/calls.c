// SPDX-License-Identifier: BSD-2-Clause
#include "view/calls.h"

#include "analysis/interval.h"
#include "view/layout.h"
#include "view/page.h"
#include "view/section.h"

#include <errno.h>
#include <string.h>

static const struct layout_column columns[] = {
	{" share", .right = true}, {"95 % interval", .right = true}, {"ticks", .right = true},
	{"calls", .right = true},  {"function", .shrinks = 16},	     {"object", .shrinks = 8},
};

#define COLUMN_COUNT (sizeof(columns) / sizeof(*columns))

static bool passes(const struct calls_page *page, const struct callgraph_node *node)
{
	if (!node->ticks && !node->calls && !node->self_calls && !node->count)
		return false;
	if (page->object && strcmp(page->object, node->object) != 0 &&
	    strcmp(page->object, node->path) != 0)
		return false;
	return !page->function || !regexec(page->function, node->name, 0, NULL, 0);
}

static int add_blank(struct layout *layout, size_t count)
{
	int r = 0;

	while (count-- && r >= 0)
		r = layout_add(layout, INK_NONE, "%s", "");
	return r;
}

/* A caller or what is called; NODE NULL: it is not known. */
static int add_other(struct layout *layout, const char *how, const struct callgraph_node *node,
		     uint64_t count)
{
	int r = add_blank(layout, 3);

	if (r >= 0)
		r = layout_add(layout, INK_FAINT, "%s", text_count(count).text);
	if (r >= 0)
		r = layout_add_function(layout, INK_FAINT, how,
					node ? node->name : "what is not known", "");
	return r < 0 ? r : layout_add(layout, INK_FAINT, "%s", node ? node->object : "");
}

static int add_callers(struct layout *layout, const struct callgraph *graph,
		       const struct callgraph_node *node)
{
	int r = 0;

	for (uint32_t i = 0; i < node->in_count && r >= 0; i++) {
		const struct callgraph_arc *arc = &graph->arcs[graph->incoming[node->first_in + i]];

		r = add_other(layout, "  by ", &graph->nodes[arc->caller], arc->count);
	}
	if (node->unknown_calls && r >= 0)
		r = add_other(layout, "  by ", NULL, node->unknown_calls);
	if (node->self_calls && r >= 0)
		r = add_other(layout, "  by ", node, node->self_calls);
	return r;
}

static int add_callees(struct layout *layout, const struct callgraph *graph,
		       const struct callgraph_node *node)
{
	int r = 0;

	for (uint32_t i = 0; i < node->count && r >= 0; i++) {
		const struct callgraph_arc *arc = &graph->arcs[node->first + i];

		r = add_other(layout, "  calls ", &graph->nodes[arc->callee], arc->count);
	}
	return r;
}

static int add_shares(struct layout *layout, const struct section *section, uint64_t ticks)
{
	uint64_t total = section->account.total;
	struct interval interval = interval_of_share(ticks, total);
	int r;

	if (!section->ranks)
		return add_blank(layout, 2);
	r = layout_add(layout, INK_STRONG, "%s", text_share((double)ticks / (double)total).text);
	return r < 0 ? r
		     : layout_add(layout, INK_FAINT, "%.1f %s %4.1f %%", 100 * interval.low,
				  section->marks->to, 100 * interval.high);
}

static int add_node(struct layout *layout, const struct section *section,
		    const struct callgraph_node *node)
{
	uint64_t calls = ticks_add(node->calls, node->self_calls);
	int r = add_shares(layout, section, node->ticks);

	if (r >= 0)
		r = layout_add(layout, INK_NONE, "%s", text_count(node->ticks).text);
	if (r >= 0)
		r = layout_add(layout, INK_NONE, "%s", calls ? text_count(calls).text : "");
	if (r >= 0)
		r = layout_add_function(layout, INK_STRONG, "", node->name, "");
	return r < 0 ? r : layout_add(layout, INK_NONE, "%s", node->object);
}

static int add_entry(struct layout *layout, const struct section *section,
		     const struct callgraph *graph, const struct callgraph_node *node)
{
	int r = layout->cell_count ? add_blank(layout, COLUMN_COUNT) : 0;

	r = r < 0 ? r : add_callers(layout, graph, node);
	r = r < 0 ? r : add_node(layout, section, node);
	return r < 0 ? r : add_callees(layout, graph, node);
}

static int add_entries(struct layout *layout, const struct section *section,
		       const struct calls_page *page, size_t *ret_more)
{
	const struct callgraph *graph = page->graph;
	size_t limit = section->style->rows, shown = 0;
	int r = 0;

	*ret_more = 0;
	for (size_t i = 0; i < graph->node_count && r >= 0; i++) {
		if (!passes(page, &graph->nodes[i]))
			continue;
		if (limit && shown++ >= limit)
			++*ret_more;
		else
			r = add_entry(layout, section, graph, &graph->nodes[i]);
	}
	return r;
}

static int print_entries(const struct section *section, const struct calls_page *page)
{
	struct layout layout;
	size_t more;
	int r = layout_init(&layout, columns, COLUMN_COUNT, section->style->utf8);

	if (r >= 0)
		r = add_entries(&layout, section, page, &more);
	if (r >= 0) {
		layout_fit(&layout, section->style->width);
		r = layout_print(section->out, &layout, section->style->color);
	}
	layout_done(&layout);
	if (r < 0)
		return r;
	if (more)
		(void)fprintf(section->out, "   ...  and %s more function%s (-n 0)\n",
			      text_count(more).text, text_plural(more));
	(void)fprintf(section->out, "\n%s call%s, counted by the program\n",
		      text_count(page->graph->calls).text, text_plural(page->graph->calls));
	return 0;
}

static int print_page(const struct section *section, const void *context)
{
	int r = head_print(section);

	if (r >= 0)
		r = print_entries(section, context);
	if (r < 0)
		return r;
	account_print(section);
	return notes_print(section);
}

int calls_print(FILE *out, const struct calls_page *page, const struct report_style *style)
{
	struct section section = {
		.out = out,
		.profile = page->profile,
		.style = style,
		.marks = text_marks(style->utf8),
	};

	profile_account(page->profile, &section.account);
	section.ranks = section.account.total >= EVIDENCE_FLOOR;
	return page_print(&section, print_page, page);
}
