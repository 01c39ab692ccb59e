// SPDX-License-Identifier: BSD-2-Clause
#include "format/firefox_thread.h"

#include "analysis/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXACT_MAX ((uint64_t)1 << 53) /* what a number in JavaScript can be */

static void add_text(struct firefox *writing, const char *name, const char *text)
{
	uint32_t number = 0;

	if (strings_add(writing->strings, text, strlen(text), &number))
		writing->error = -ENOMEM;
	json_add_count(&writing->json, name, number);
}

static void add_unless_0(struct json *json, uint64_t number)
{
	if (number)
		json_add_count(json, NULL, number);
	else
		json_add_word(json, NULL, "null");
}

/* A column of WORD of each row. */
static void print_column(struct json *json, const char *name, const struct keyset *table, int word)
{
	json_open_list(json, name, /* lines= */ false);
	for (size_t i = 0; i < table->count; i++)
		json_add_count(json, NULL, table->keys[i].words[word]);
	json_close(json);
}

/* The same of one that has 1 more than it says, or else MISSING. */
static void print_maybe(struct json *json, const char *name, const struct keyset *table, int word,
			const char *missing)
{
	json_open_list(json, name, /* lines= */ false);
	for (size_t i = 0; i < table->count; i++)
		if (table->keys[i].words[word])
			json_add_count(json, NULL, table->keys[i].words[word] - 1);
		else
			json_add_word(json, NULL, missing);
	json_close(json);
}

/* One WORD in each of COUNT rows. */
static void print_same(struct json *json, const char *name, size_t count, const char *word)
{
	json_open_list(json, name, /* lines= */ false);
	for (size_t i = 0; i < count; i++)
		json_add_word(json, NULL, word);
	json_close(json);
}

static void open_table(struct json *json, const char *name, size_t rows)
{
	json_open_object(json, name, /* lines= */ true);
	json_add_count(json, "length", rows);
}

/* As the file counts it from its first byte in memory; that of the kernel, from its own. */
static void add_address(struct json *json, const struct profile *profile,
			const struct profile_location *location)
{
	const struct profile_mapping *mapping =
		location ? &profile->mappings[location->mapping] : NULL;
	uint64_t base = 0;

	if (mapping && mapping->start >= mapping->offset &&
	    location->address >= mapping->start - mapping->offset)
		base = mapping->start - mapping->offset;
	if (location && location->kind == LOCATION_ADDRESS && location->address - base < EXACT_MAX)
		json_add_count(json, NULL, location->address - base);
	else
		json_add_word(json, NULL, "-1");
}

/* Where FRAME is; NULL for what stands for callers that are not known. */
static const struct profile_location *location_of(const struct firefox *writing,
						  const struct key *frame)
{
	return frame->words[0] ? &writing->profile->locations[frame->words[0] - 1] : NULL;
}

static void add_category(struct json *json, const struct profile *profile,
			 const struct profile_location *location)
{
	json_add_count(json, NULL,
		       location ? profile->mappings[location->mapping].class : CLASS_UNRESOLVED);
}

/* Of the function of the symbol table, as its name is. */
static void add_line(struct json *json, const struct profile *profile,
		     const struct profile_location *location)
{
	size_t count = location ? location->line_count : 0;

	add_unless_0(json, count ? profile->lines[location->first_line + count - 1].line : 0);
}

static void print_places(struct firefox *writing, const char *name, const struct keyset *frames,
			 void (*add)(struct json *json, const struct profile *profile,
				     const struct profile_location *location))
{
	json_open_list(&writing->json, name, /* lines= */ false);
	for (size_t i = 0; i < frames->count; i++)
		add(&writing->json, writing->profile, location_of(writing, &frames->keys[i]));
	json_close(&writing->json);
}

static void print_frames(struct firefox *writing, const struct keyset *frames)
{
	struct json *json = &writing->json;

	open_table(json, "frameTable", frames->count);
	print_places(writing, "address", frames, add_address);
	print_places(writing, "category", frames, add_category);
	print_places(writing, "line", frames, add_line);
	print_column(json, "func", frames, /* word= */ 1);
	print_same(json, "inlineDepth", frames->count, "0");
	print_same(json, "subcategory", frames->count, "0");
	print_same(json, "nativeSymbol", frames->count, "null");
	print_same(json, "innerWindowID", frames->count, "null");
	print_same(json, "column", frames->count, "null");
	json_close(json);
}

static void add_name(struct firefox *writing, const struct key *row)
{
	const struct profile_cell cell = {.stack_end = (enum stack_end)row->words[2]};
	struct stack_cut cut = stack_cut_name(&cell);
	bool is_cut = !row->words[1];

	add_text(writing, NULL,
		 is_cut ? cut.text : writing->source.functions.list[row->words[0]].name);
}

static void add_file(struct firefox *writing, const struct key *row)
{
	const struct profile_function *function = writing->source.origins[row->words[0]].function;

	if (function && function->file)
		add_text(writing, NULL, profile_text(writing->profile, function->file));
	else
		json_add_word(&writing->json, NULL, "null");
}

static void add_start_line(struct firefox *writing, const struct key *row)
{
	const struct profile_function *function = writing->source.origins[row->words[0]].function;

	add_unless_0(&writing->json, function ? function->start_line : 0);
}

static void add_object(struct firefox *writing, const struct key *row)
{
	add_text(writing, NULL, names_object(writing->profile, (uint32_t)row->words[0]));
}

static void print_each(struct firefox *writing, const char *name, const struct keyset *table,
		       void (*add)(struct firefox *writing, const struct key *row))
{
	json_open_list(&writing->json, name, /* lines= */ false);
	for (size_t i = 0; i < table->count; i++)
		add(writing, &table->keys[i]);
	json_close(&writing->json);
}

static void print_functions(struct firefox *writing, const struct keyset *functions)
{
	struct json *json = &writing->json;

	open_table(json, "funcTable", functions->count);
	print_each(writing, "name", functions, add_name);
	print_maybe(json, "resource", functions, /* word= */ 1, "-1");
	print_each(writing, "fileName", functions, add_file);
	print_each(writing, "lineNumber", functions, add_start_line);
	print_same(json, "columnNumber", functions->count, "null");
	print_same(json, "isJS", functions->count, "false");
	print_same(json, "relevantForJS", functions->count, "false");
	json_close(json);
}

/* Each mapping is a library, used or not, so that their numbers are the same. */
static void print_resources(struct firefox *writing, const struct keyset *resources)
{
	struct json *json = &writing->json;

	open_table(json, "resourceTable", resources->count);
	print_column(json, "lib", resources, /* word= */ 0);
	print_each(writing, "name", resources, add_object);
	print_same(json, "host", resources->count, "null");
	print_same(json, "type", resources->count, "1"); /* a library */
	json_close(json);
}

/* What there is none of. */
static void print_empty(struct json *json, const char *name, const char *const *columns)
{
	open_table(json, name, 0);
	for (; *columns; columns++) {
		json_open_list(json, *columns, /* lines= */ false);
		json_close(json);
	}
	json_close(json);
}

static void print_tables(struct firefox *writing, const struct firefox_tables *tables)
{
	static const char *const markers[] = {"data",  "name",	   "startTime", "endTime",
					      "phase", "category", NULL};
	static const char *const symbols[] = {"libIndex", "address", "name", "functionSize", NULL};
	struct json *json = &writing->json;

	print_empty(json, "markers", markers);
	open_table(json, "stackTable", tables->stacks.count);
	print_maybe(json, "prefix", &tables->stacks, /* word= */ 0, "null");
	print_column(json, "frame", &tables->stacks, /* word= */ 1);
	json_close(json);
	print_frames(writing, &tables->frames);
	print_functions(writing, &tables->functions);
	print_resources(writing, &tables->resources);
	print_empty(json, "nativeSymbols", symbols);
}

/* A time is in milliseconds, exactly. */
static void print_weights(struct firefox *writing, size_t first, size_t limit, bool is_time)
{
	struct json *json = &writing->json;
	char text[48];

	json_open_list(json, "weight", /* lines= */ false);
	for (size_t i = first; i < limit; i++) {
		uint64_t ticks = writing->cells[i]->ticks;

		(void)snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, ticks / 1000000,
			       ticks % 1000000);
		if (is_time)
			json_add_word(json, NULL, text);
		else
			json_add_count(json, NULL, ticks);
	}
	json_close(json);
}

static void print_samples(struct firefox *writing, size_t first, size_t limit)
{
	uint32_t value = writing->profile->value;
	bool is_time = value && histogram_value_is_time(value - 1);
	struct json *json = &writing->json;

	open_table(json, "samples", limit - first);
	json_open_list(json, "stack", /* lines= */ false);
	for (size_t i = first; i < limit; i++)
		json_add_count(json, NULL, writing->stacks[i]);
	json_close(json);
	print_same(json, "time", limit - first, "0");
	print_weights(writing, first, limit, is_time);
	json_add_string(json, "weightType", is_time ? "tracing-ms" : "samples");
	json_close(json);
}

/* Who it is: the name, and of what cells can be split by, what is neither process nor thread. */
static void print_task(struct firefox *writing, const struct profile_task *task)
{
	const struct profile *profile = writing->profile;
	const char *name = profile_text(profile, task->name);
	const char *cgroup = profile_text(profile, task->cgroup);
	struct json *json = &writing->json;
	char text[4096], cpu[32] = "", pid[16];

	if (task->cpu)
		(void)snprintf(cpu, sizeof(cpu), "CPU %" PRIu32, task->cpu - 1);
	if (!*name)
		name = *cpu ? cpu : *cgroup ? cgroup : "all";
	(void)snprintf(text, sizeof(text), "%s%s%s", name, task->cpu && name != cpu ? " " : "",
		       name != cpu ? cpu : "");
	(void)snprintf(pid, sizeof(pid), "%" PRIu32, task->pid);
	json_add_string(json, "name", text);
	json_add_bool(json, "isMainThread", !task->tid || task->tid == task->pid);
	json_add_string(json, "pid", pid);
	json_add_count(json, "tid", task->tid ? task->tid : task->pid);
}

static void open_thread(struct firefox *writing, uint32_t task)
{
	const struct profile *profile = writing->profile;
	const struct profile_task nobody = {0};
	struct json *json = &writing->json;

	json_open_object(json, NULL, /* lines= */ true);
	print_task(writing, task == PROFILE_NO_TASK ? &nobody : &profile->tasks[task]);
	json_add_string(json, "processType", "default");
	json_add_count(json, "processStartupTime", 0);
	json_add_word(json, "processShutdownTime", "null");
	json_add_count(json, "registerTime", 0);
	json_add_word(json, "unregisterTime", "null");
	json_add_word(json, "pausedRanges", "[]");
}

int firefox_thread(struct firefox *writing, size_t first, size_t *ret_limit)
{
	size_t count = writing->profile->cell_count, limit = first;
	uint32_t task = count ? writing->cells[first]->task : PROFILE_NO_TASK;
	struct firefox_tables tables = {0};
	int ret = 0;

	for (; limit < count && writing->cells[limit]->task == task && ret >= 0; limit++)
		ret = firefox_stack(&writing->source, &tables, writing->cells[limit],
				    &writing->stacks[limit]);
	if (ret >= 0) {
		open_thread(writing, task);
		print_samples(writing, first, limit);
		print_tables(writing, &tables);
		json_close(&writing->json);
	}
	firefox_tables_done(&tables);
	*ret_limit = limit;
	return ret;
}
