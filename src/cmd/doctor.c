// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/reading.h"

#include "engine/checkup.h"
#include "engine/engine.h"
#include "view/layout.h"
#include "view/report.h"
#include "view/section.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct option_row doctor_options[] = {
	OPTION_JSON_ROW("Options"),
	OPTION_HELP_ROW,
	{0},
};

static const char *const verdicts[] = {
	[CHECKUP_GOOD] = "ok",
	[CHECKUP_NOTE] = "note",
	[CHECKUP_BAD] = "bad",
};

static const char *const inks[] = {
	[CHECKUP_GOOD] = INK_NONE,
	[CHECKUP_NOTE] = INK_WARN,
	[CHECKUP_BAD] = INK_ALARM,
};

#define ROWS_MAX 32

struct checkups {
	struct checkup_row rows[ROWS_MAX];
	size_t count;
	bool works; /* an engine does */
};

/* Names of stripped programs from a server: not the engines' business, and never needed. */
static void look_debuginfod(struct checkup_row *row)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	void *library = dlopen("libdebuginfod.so.1", RTLD_LAZY);

	*row = (struct checkup_row){.item = "debuginfod"};
	if (urls && *urls && library) {
		(void)snprintf(row->found, sizeof(row->found), "asks %s", urls);
	} else {
		row->verdict = CHECKUP_NOTE;
		(void)snprintf(
			row->found, sizeof(row->found), "%s",
			library ? "DEBUGINFOD_URLS is not set: stripped files stay nameless"
				: "the library is not installed: stripped files stay nameless");
		(void)snprintf(row->advice, sizeof(row->advice), "%s",
			       library ? "set it to your distribution's server"
				       : "apt-get install libdebuginfod1");
	}
	if (library)
		dlclose(library);
}

static void look_engine(const struct engine_ops *ops, struct checkup_row *row)
{
	struct error why = {};

	*row = (struct checkup_row){.item = ops->title};
	if (ops->probe(&why)) {
		row->verdict = CHECKUP_BAD;
		(void)snprintf(row->found, sizeof(row->found), "%s", why.text);
	} else {
		(void)snprintf(row->found, sizeof(row->found), "works");
	}
}

static void look_all(struct checkups *checkups)
{
	for (const struct checkup *one = checkup_list; one->item; one++)
		checkup_look(one, &checkups->rows[checkups->count++]);
	look_debuginfod(&checkups->rows[checkups->count++]);
	for (size_t i = 0; engine_list[i]; i++) {
		struct checkup_row *row = &checkups->rows[checkups->count++];

		look_engine(engine_list[i], row);
		checkups->works |= row->verdict != CHECKUP_BAD;
	}
}

static void print_json(const struct checkups *checkups)
{
	(void)printf("{\"works\": %s, \"checks\": [", checkups->works ? "true" : "false");
	for (size_t i = 0; i < checkups->count; i++) {
		const struct checkup_row *row = &checkups->rows[i];

		(void)printf("%s\n  {\"item\": \"%s\", \"verdict\": \"%s\", \"found\": ",
			     i ? "," : "", row->item, verdicts[row->verdict]);
		json_print_string(stdout, row->found);
		(void)fputs(", \"advice\": ", stdout);
		json_print_string(stdout, row->advice);
		(void)fputc('}', stdout);
	}
	(void)fputs("\n]}\n", stdout);
}

static int fill(struct layout *layout, const struct checkups *checkups)
{
	int ret = 0;

	for (size_t i = 0; i < checkups->count && !ret; i++) {
		const struct checkup_row *row = &checkups->rows[i];

		ret = layout_add(layout, inks[row->verdict], "%s", verdicts[row->verdict]);
		if (!ret)
			ret = layout_add(layout, INK_NONE, "%s", row->item);
		if (!ret)
			ret = layout_add(layout, INK_NONE, "%s%s%s", row->found,
					 *row->advice ? ": " : "", row->advice);
	}
	return ret;
}

static int print_text(const struct checkups *checkups)
{
	static const struct layout_column columns[] = {
		{""}, {"what"}, {"found: what would change it"}};
	struct report_style style;
	struct layout layout;
	int ret;

	report_style_detect(stdout, &style);
	ret = layout_init(&layout, columns, 3, style.utf8);
	if (!ret)
		ret = fill(&layout, checkups);
	if (!ret) {
		layout_fit(&layout, 0);
		ret = layout_print(stdout, &layout, style.color);
	}
	layout_done(&layout);
	if (!ret)
		(void)printf("\n%s\n", checkups->works ? "profil works here."
						       : "profil cannot count here yet.");
	return ret;
}

int command_doctor(int argc, char **argv)
{
	struct checkups checkups = {};
	struct reading reading = {}; /* the form alone */
	int first = options_read(command_find("doctor"), argc, argv, &reading);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first < argc)
		return cmd_fail("doctor: '%s': no operand is known: see 'profil help doctor'",
				argv[first]);
	look_all(&checkups);
	if (reading.form == REPORT_JSON)
		print_json(&checkups);
	else if (print_text(&checkups))
		return cmd_fail("out of memory: free some");
	return checkups.works ? 0 : EXIT_PROFIL;
}
