// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top.h"

#include "analysis/annotate.h"
#include "cmd/callers.h"
#include "view/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What stands over the list: the pages of 'profil annotate' and 'profil report --callers
 * --callees' of one function, and the help. */

#define CODE_CONTEXT 4

static const char help[] =
	"1 to 7      what is listed: functions, the call tree, threads, processes, CPUs,\n"
	"            control groups, what threads waited for (--wall)\n"
	"Up, Down, Page Up, Page Down, Home, End\n"
	"Tab, s      sort by the last second, self, total, name\n"
	"Enter       the function's instructions, while it runs\n"
	"c           who calls it, and whom it calls\n"
	"Left, Right, Space    fold and unfold the tree\n"
	"/           list what has this in its name; nothing: all\n"
	"p           pause: what is shown stays, and is counted on\n"
	"r           a new screen now, where they are more than a second apart\n"
	"w           save what is shown as a file that other commands read\n"
	"Esc         back\n"
	"Ctrl-Z      suspend\n"
	"q, Ctrl-C   quit; a program that was started is sent SIGTERM\n"
	"\n"
	"last    samples since the screen before\n"
	"/s      the same a second\n"
	"lately  the last 15 screens, the most of them at full height\n"
	"self    samples since the start, and their share of all\n"
	"total   the share of samples with what it called\n";

/* The subject that is the function looked into: of the same name in the same file. */
static uint32_t find_subject(const struct top *top, const struct subjects *subjects)
{
	const struct profile *profile = top->profile;

	for (uint32_t i = 0; i < subjects->count; i++) {
		const struct subject *subject = &subjects->items[i];
		const char *path = profile_text(profile, profile->mappings[subject->object].path);

		if (!strcmp(profile_text(profile, subject->function), top->function) &&
		    !strcmp(path, top->object))
			return i;
	}
	return SUBJECT_NONE;
}

static int print_code(struct top *top, FILE *out, struct symbols *symbols)
{
	const struct annotate_style style = {.page = top->style, .context = CODE_CONTEXT};
	struct annotation *annotation = NULL;
	struct annotate_view view = {
		.profile = top->profile, .functions = &annotation, .count = 1, .found = 1};
	struct subjects subjects;
	struct error why;
	uint32_t number;
	int ret = subjects_find(top->profile, NULL, &subjects, &why);

	if (ret)
		return ret;
	number = find_subject(top, &subjects);
	if (number != SUBJECT_NONE)
		ret = annotate(top->profile, &subjects, number, symbols, &annotation);
	if (annotation)
		ret = annotate_print(out, &view, &style);
	else if (!ret)
		(void)fputs("no sample was in it\n", out);
	annotation_free(annotation);
	subjects_done(&subjects);
	return ret;
}

static int show_code(struct top *top, FILE *out)
{
	struct symbols *symbols = moving_lend_symbols(top->moving);
	int ret;

	if (!symbols) {
		(void)fputs("names are being found: it will be here soon\n", out);
		return 0;
	}
	ret = print_code(top, out, symbols);
	moving_return_symbols(top->moving);
	return ret;
}

static int show_callers(struct top *top, FILE *out)
{
	struct tree_functions functions;
	struct callers_page page = {.profile = top->profile, .callers = true, .callees = true};
	bool *wanted;
	int ret;

	if (!tree_has_stacks(top->profile))
		return fputs("there are no call stacks\n", out) < 0 ? -EIO : 0;
	ret = tree_functions_make(top->profile, &functions);
	if (ret)
		return ret;
	wanted = calloc(functions.count + 1UL, sizeof(*wanted));
	for (uint32_t i = 0; wanted && i < functions.count; i++)
		wanted[i] = !strcmp(functions.list[i].name, top->function) &&
			    !strcmp(functions.list[i].path, top->object);
	page.functions = &functions;
	page.wanted = wanted;
	profile_account(top->profile, &page.account);
	ret = wanted ? callers_write(out, &page, &top->style) : -ENOMEM;
	free(wanted);
	tree_functions_done(&functions);
	return ret;
}

void top_make_page(struct top *top)
{
	size_t size;
	FILE *out;
	int ret = 0;

	free(top->page);
	top->page = NULL;
	out = open_memstream(&top->page, &size);
	if (!out)
		return;
	if (top->mode == TOP_HELP)
		(void)fputs(help, out);
	else if (top->mode == TOP_CODE)
		ret = show_code(top, out);
	else if (top->mode == TOP_CALLERS)
		ret = show_callers(top, out);
	(void)fclose(out);
	if (ret)
		(void)snprintf(top->message, sizeof(top->message), "%s: %s", top->function,
			       strerror(-ret));
}
