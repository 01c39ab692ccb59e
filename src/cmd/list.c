// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"
#include "cmd/reading.h"

#include "base/json.h"
#include "engine/event.h"
#include "view/text.h"

#include <errno.h>
#include <string.h>

struct list {
	bool json;
	const char *word; /* a part of the names that are wanted, or NULL */
	struct json out;
	size_t count;
};

const struct option_row list_options[] = {
	{0, "json", NULL, "print the events as JSON", "Options", SETS(struct list, json, true)},
	OPTION_HELP_ROW,
	{0},
};

static int show(void *context, const char *kind, const char *name)
{
	struct list *list = context;

	if (list->word && !strcasestr(name, list->word) && !strcasestr(kind, list->word))
		return 0;
	list->count++;
	if (!list->json) {
		(void)printf("%-40s ", name);
		(void)puts(kind);
		return ferror(stdout) ? -EIO : 0;
	}
	json_open_object(&list->out, NULL, /* lines= */ false);
	json_add_string(&list->out, "name", name);
	json_add_string(&list->out, "kind", kind);
	json_close(&list->out);
	return 0;
}

static int show_all(struct list *list)
{
	int ret;

	list->out.out = stdout;
	if (list->json)
		json_open_list(&list->out, NULL, /* lines= */ true);
	ret = event_each(/* root= */ "", show, list);
	if (list->json)
		json_close(&list->out);
	if (ret)
		return cmd_fail("list: %s: free some memory, or write elsewhere", strerror(-ret));
	if (!list->count && !list->json)
		return cmd_fail("list: '%s': no event here has that in its name: see 'profil list'",
				list->word ? list->word : "");
	return 0;
}

int command_list(int argc, char **argv)
{
	struct list list = {0};
	int first = options_read(command_find("list"), argc, argv, &list);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (first + 1 < argc)
		return cmd_fail("list: '%s' is one word too many: give one", argv[first + 1]);
	list.word = argv[first];
	return show_all(&list);
}
