// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/names.h"
#include "base/array.h"
#include "base/json.h"
#include "format/firefox_thread.h"
#include "format/output.h"

#include <errno.h>
#include <stdlib.h>

/* The Firefox Profiler's processed format: src/types/profile.ts of its sources says what it is, and
 * docs-developer/CHANGELOG-formats.md what changed since; it reads all older versions.  A sample is
 * a stack and its weight: how often it was there.  It must have a time, and nobody knows it: all
 * are 0. */

#define VERSION 57	 /* texts are all threads' together, and stacks have no categories */
#define GECKO_VERSION 31 /* of what Firefox itself wrote then */
#define MILLISECOND_NS 1000000

/* By class.  What has no category is of the grey one. */
static const char *const colors[PROFILE_CLASSES] = {
	[CLASS_PROGRAM] = "green",    [CLASS_LIBRARIES] = "blue",    [CLASS_KERNEL] = "orange",
	[CLASS_VDSO] = "lightblue",   [CLASS_ANONYMOUS] = "magenta", [CLASS_UNRESOLVED] = "grey",
	[CLASS_IDLE] = "transparent", [CLASS_DOS] = "purple",	     [CLASS_IO] = "brown",
	[CLASS_HIGH] = "yellow",      [CLASS_PYTHON] = "red",	     [CLASS_TIME] = "darkgrey",
};

/* There is always one: the page has no room for nothing. */
static int print_threads(struct firefox *writing)
{
	size_t at = 0;
	int ret;

	json_open_list(&writing->json, "threads", /* lines= */ true);
	do
		ret = firefox_thread(writing, at, &at);
	while (ret >= 0 && at < writing->profile->cell_count);
	json_close(&writing->json);
	return ret;
}

/* Few have functions of Python or the time of threads, whose categories are the last. */
static int category_count(const struct profile *profile)
{
	enum profile_class last = CLASS_PYTHON - 1;

	for (size_t i = 0; i < profile->mapping_count; i++)
		if (profile->mappings[i].class > last)
			last = profile->mappings[i].class;
	return (int)last + 1;
}

static void print_categories(struct json *json, const struct profile *profile)
{
	int count = category_count(profile);

	json_open_list(json, "categories", /* lines= */ true);
	for (int i = 0; i < count; i++) {
		json_open_object(json, NULL, /* lines= */ false);
		json_add_string(json, "name", profile_class_name((enum profile_class)i));
		json_add_string(json, "color", colors[i]);
		json_add_word(json, "subcategories", "[\"Other\"]");
		json_close(json);
	}
	json_close(json);
}

static void print_meta(struct json *json, const struct profile *profile)
{
	const struct profile_facts *facts = &profile->facts;
	const char *command = profile_text(profile, facts->command);
	uint64_t period = facts->period_ns ? facts->period_ns : MILLISECOND_NS;

	json_open_object(json, "meta", /* lines= */ true);
	json_add_string(json, "product", *command ? command : "profil");
	json_add_string(json, "importedFrom", "profil");
	json_add_count(json, "preprocessedProfileVersion", VERSION);
	json_add_count(json, "version", GECKO_VERSION);
	json_add_real(json, "interval", (double)period / MILLISECOND_NS);
	json_add_count(json, "startTime",
		       facts->time_ns > 0 ? (uint64_t)facts->time_ns / MILLISECOND_NS : 0);
	json_add_count(json, "processType", 0);
	json_add_count(json, "stackwalk", 1);
	json_add_bool(json, "debug", false);
	json_add_bool(json, "symbolicated", true);
	json_add_bool(json, "usesOnlyOneStackType", true);
	json_add_bool(json, "sourceCodeIsNotOnSearchfox", true);
	json_add_word(json, "markerSchema", "[]");
	json_add_word(json, "extensions",
		      "{\"baseURL\": [], \"id\": [], \"name\": [], \"length\": 0}");
	json_add_string(json, "oscpu", profile_text(profile, facts->system));
	print_categories(json, profile);
	json_close(json);
}

static void print_libraries(struct json *json, const struct profile *profile)
{
	json_open_list(json, "libs", /* lines= */ true);
	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		const char *build_id = profile_text(profile, profile->mappings[i].build_id);
		const char *path = profile_text(profile, profile->mappings[i].path);

		json_open_object(json, NULL, /* lines= */ false);
		json_add_string(json, "name", names_object(profile, i));
		json_add_string(json, "path", path);
		json_add_string(json, "debugName", names_object(profile, i));
		json_add_string(json, "debugPath", path);
		json_add_string(json, "breakpadId", "");
		if (*build_id)
			json_add_string(json, "codeId", build_id);
		else
			json_add_word(json, "codeId", "null");
		json_add_string(json, "arch", "");
		json_close(json);
	}
	json_close(json);
}

/* Texts are the last: they are counted while all else is printed. */
static int print_all(struct firefox *writing)
{
	struct json *json = &writing->json;
	int ret;

	json_open_object(json, NULL, /* lines= */ true);
	print_meta(json, writing->profile);
	print_libraries(json, writing->profile);
	ret = print_threads(writing);
	json_open_object(json, "shared", /* lines= */ true);
	json_open_list(json, "stringArray", /* lines= */ true);
	for (uint32_t i = 0; i < strings_count(writing->strings); i++)
		json_add_string(json, NULL, strings_get(writing->strings, i));
	json_close(json);
	json_close(json);
	json_close(json);
	return ret < 0 ? ret : writing->error;
}

static int compare_tasks(const void *left, const void *right)
{
	const struct profile_cell *a = *(const struct profile_cell *const *)left;
	const struct profile_cell *b = *(const struct profile_cell *const *)right;

	ARRAY_COMPARE(a->task, b->task);
	ARRAY_COMPARE(a, b);
	return 0;
}

static int print_profile(struct output *output, const struct profile *profile)
{
	struct firefox writing = {
		.json = {.out = output->file},
		.profile = profile,
		.strings = strings_new(),
		.cells = calloc(profile->cell_count + 1, sizeof(*writing.cells)),
		.stacks = calloc(profile->cell_count + 1, sizeof(*writing.stacks)),
	};
	int ret = firefox_source_make(&writing.source, profile);

	if (!writing.strings || !writing.cells || !writing.stacks)
		ret = -ENOMEM;
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		writing.cells[i] = &profile->cells[i];
	if (ret >= 0) {
		ARRAY_SORT(writing.cells, profile->cell_count, compare_tasks);
		ret = print_all(&writing);
	}
	firefox_source_done(&writing.source);
	strings_free(writing.strings);
	free(writing.cells);
	free(writing.stacks);
	return ret;
}

static int write_firefox(const struct profile *profile, const char *path, struct error *ret_left,
			 struct error *reterr)
{
	struct output output;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	*ret_left = (struct error){""};
	return output_close(&output, print_profile(&output, profile), reterr);
}

const struct format_ops firefox_format = {
	.name = "firefox",
	.summary = "JSON for the Firefox Profiler",
	.calls_inlined = true,
	.write = write_firefox,
};
