// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/calls.h"

#include "analysis/callgraph.h"
#include "analysis/callgraph_doubt.h"
#include "cmd/command.h"
#include "cmd/reading.h"
#include "view/calls.h"
#include "view/gprof.h"

#include <errno.h>

/* As gprof's page has them for programs. */
static int print_for_programs(const struct calls_page *page, enum report_form form)
{
	struct doubts *doubts = doubts_new();
	struct gprof gprof = {.profile = page->profile, .graph = page->graph, .doubts = doubts};
	struct gprof_style style = {
		.form = form,
		.no_flat = form == REPORT_CSV,
		.only = page->function,
		.object = page->object,
	};
	FILE *out = reading_output(form);
	int ret = doubts && out ? doubts_settle(doubts, page->graph) : -ENOMEM;

	if (ret >= 0)
		ret = gprof_print(out, &gprof, &style);
	(void)doubts_free(doubts);
	return ret;
}

static int print(const struct calls_page *page, const struct report_style *style)
{
	if (style->form != REPORT_TEXT)
		return print_for_programs(page, style->form);
	return calls_print(stdout, page, style);
}

int calls_show(const struct profile *profile, const struct table_options *options,
	       const struct report_style *style)
{
	struct calls_page page = {.profile = profile, .object = options->object};
	struct error error = {""};
	struct callgraph *graph;
	regex_t regex;
	int ret = 0, why = 0;

	if (!profile->call_count)
		return cmd_fail(
			"report --calls: the profile has none: take it of a program compiled "
			"with -pg, by libprofil-gmon(3)");
	if (options->function)
		ret = table_compile_function(options->function, &regex, &error);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	page.function = options->function ? &regex : NULL;
	ret = callgraph_build(profile, &graph);
	if (ret >= 0) {
		page.graph = graph;
		ret = print(&page, style);
		why = errno;
		(void)callgraph_free(graph);
	}
	if (page.function)
		regfree(&regex);
	return cmd_printed(ret, why);
}
