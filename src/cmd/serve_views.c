// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/serve_views.h"

#include "base/array.h"

#include <string.h>

#define SIDE_MAX 16 /* profiles of a side of a comparison */

/* What can be asked for of a profile: the words of the command that prints it.  The first is what
 * is shown where no view is named. */
static const struct view {
	const char *name, *type;
	char *words[5];
} views[] = {
	{"profil.html", HTTP_HTML, {"html", "-o", "/dev/stdout"}},
	{"report.txt", HTTP_TEXT, {"report"}},
	{"report.json", "application/json", {"report", "--json"}},
	{"tree.txt", HTTP_TEXT, {"tree"}},
	{"tree.json", "application/json", {"tree", "--json"}},
	{"hist.txt", HTTP_TEXT, {"hist"}},
	{"flame.svg", "image/svg+xml", {"flame", "-o", "/dev/stdout"}},
	{"profile.pb.gz",
	 "application/octet-stream",
	 {"export", "--to", "pprof", "-o", "/dev/stdout"}},
};

/* The same of some compared with others. */
static const struct view comparisons[] = {
	{"/diff", HTTP_HTML, {"diff", "--html", "/dev/stdout"}},
	{"/diff.txt", HTTP_TEXT, {"diff"}},
	{"/diff.json", "application/json", {"diff", "--json"}},
};

/* VIEW of FILES, NULL behind them, as the command prints it; behind "--" where they are APART. */
static struct page page_of(const struct view *view, const char *const *files, bool apart)
{
	struct page page = {.type = view->type};
	size_t count = 0;

	for (; count < ARRAY_LENGTH(view->words) && view->words[count]; count++)
		page.argv[count] = view->words[count];
	if (apart)
		page.argv[count++] = "--";
	while (*files)
		page.argv[count++] = (char *)*files++;
	return page;
}

bool views_find(const char *name, const char *file, struct page *ret_page)
{
	for (size_t i = 0; i < ARRAY_LENGTH(views); i++) {
		if (strcmp(views[i].name, *name ? name : views[0].name) != 0)
			continue;
		*ret_page = page_of(&views[i], (const char *[]){file, NULL}, /* apart= */ true);
		return true;
	}
	return false;
}

static const struct view *find_comparison(const char *path)
{
	for (size_t i = 0; i < ARRAY_LENGTH(comparisons); i++)
		if (!strcmp(path, comparisons[i].name))
			return &comparisons[i];
	return NULL;
}

/* The files that are named as SIDE, NULL behind them.  Returns how many, or 0 where one is not to
 * be had. */
static size_t find_side(const struct shelf *shelf, const struct http_request *request,
			const char *side, const char *ret_files[SIDE_MAX + 1])
{
	const char *names[SIDE_MAX];
	size_t count = http_values(request, side, names, SIDE_MAX);

	for (size_t i = 0; i < count && count <= SIDE_MAX; i++) {
		ret_files[i] = shelf_find(shelf, names[i]);
		if (!ret_files[i])
			return 0;
	}
	return count > SIDE_MAX ? 0 : count;
}

/* OLD... -- NEW..., or behind a "--" of their own one each, which may then be called like an
 * option. */
bool views_compare(const char *path, const struct shelf *shelf, const struct http_request *request,
		   struct page *ret_page)
{
	const struct view *view = find_comparison(path);
	const char *sides[2][SIDE_MAX + 1] = {{NULL}, {NULL}}, *files[2 * SIDE_MAX + 2] = {NULL};
	size_t before = find_side(shelf, request, "before", sides[0]);
	size_t after = find_side(shelf, request, "after", sides[1]);
	bool is_pair = before == 1 && after == 1;

	if (!view || !before || !after)
		return false;
	memcpy(files, sides[0], before * sizeof(*files));
	if (!is_pair)
		files[before] = "--";
	memcpy(&files[before + !is_pair], sides[1], after * sizeof(*files));
	for (size_t i = 0; i < before + after + 1 && !is_pair; i++)
		if (i != before && files[i][0] == '-')
			return false;
	*ret_page = page_of(view, files, is_pair);
	return true;
}
