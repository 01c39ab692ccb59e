// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/callers.h"

#include "cmd/command.h"
#include "cmd/reading.h"
#include "view/callers.h"

#include <errno.h>
#include <stdlib.h>

int callers_write(FILE *out, struct callers_page *page, const struct report_style *style)
{
	struct tree_arcs arcs;
	struct tree *tree;
	int ret = tree_build(page->profile, page->functions, &(struct tree_options){0}, &tree);

	if (ret < 0)
		return ret;
	ret = tree_arcs_make(page->profile, page->functions, tree, &arcs);
	if (ret >= 0) {
		page->tree = tree;
		page->arcs = &arcs;
		ret = out ? callers_print(out, page, style) : -ENOMEM;
		tree_arcs_done(&arcs);
	}
	(void)tree_free(tree);
	return ret;
}

int callers_show(struct callers_page *page, const struct table_options *options,
		 const struct report_style *style)
{
	struct tree_functions functions;
	struct error error = {""};
	bool *wanted = NULL;
	int ret = tree_functions_make(page->profile, &functions), why;

	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (options->function)
		ret = tree_functions_match(&functions, options->function, &wanted, &error);
	page->functions = &functions;
	page->wanted = wanted;
	if (ret >= 0)
		ret = callers_write(reading_output(style->form), page, style);
	why = errno;
	free(wanted);
	tree_functions_done(&functions);
	return ret == -EINVAL ? cmd_fail_error(ret, &error) : cmd_printed(ret, why);
}
