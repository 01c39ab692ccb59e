// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table.h"

#include "analysis/names.h"
#include "analysis/place.h"
#include "analysis/table_inlines.h"
#include "analysis/table_labels.h"
#include "analysis/table_order.h"
#include "analysis/table_totals.h"
#include "analysis/tree.h"
#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OF(by, name) [TABLE_BY_##by] = (name),
static const char *const by_names[TABLE_BYS] = {TABLE_BY_EACH(NAME_OF, NAME_OF)};

/* A table as it grows: one row a key. */
struct builder {
	const struct profile *profile;
	const struct table_options *options;
	const regex_t *function; /* NULL: all functions */
	uint32_t *objects;
	struct keyset keys, parts;
	struct table *table;
	size_t row_capacity;
};

const char *table_by_name(enum table_by by)
{
	return by < TABLE_BYS ? by_names[by] : "unknown";
}

int table_by_parse(const char *text, enum table_by *ret_by)
{
	for (size_t i = 0; i < TABLE_BYS; i++) {
		if (!strcmp(text, by_names[i])) {
			*ret_by = (enum table_by)i;
			return 0;
		}
	}
	return -EINVAL;
}

static bool is_idle(const struct builder *builder, const struct place *place)
{
	return builder->profile->mappings[place->object].class == CLASS_IDLE;
}

/* What tells rows apart.  A place without a name is a row of its own wherever code is shown, and so
 * is what was idle. */
static struct key row_key(const struct builder *builder, const struct place *place,
			  const struct profile_task *task)
{
	const struct profile_location *location = place->location;
	enum table_by by = builder->options->by;
	struct key key = {0};

	if (table_by_label(by)) {
		key.words[0] = table_label(by, task);
		key.words[1] = is_idle(builder, place);
		return key;
	}
	key.words[0] = (uint64_t)place->object << 32;
	if (by == TABLE_BY_OBJECT)
		return key;
	key.words[0] |= place->function;
	if (place->function && by == TABLE_BY_LINE) {
		key.words[1] = (uint64_t)place->file << 32 | place->line;
		key.words[2] = place->inlined;
	}
	if (!place->function || by == TABLE_BY_ADDRESS) {
		key.words[1] = location->kind;
		key.words[2] = location->kind == LOCATION_OVERFLOW ? 0 : location->address;
	}
	return key;
}

/* TEXT, heap or NULL for want of memory, becomes the table's. */
static int own(struct table *table, char *text, const char **ret_text)
{
	int ret;

	if (!text)
		return -ENOMEM;
	ret = ARRAY_RESERVE(table->owned, table->owned_capacity, table->owned_count + 1);
	if (ret < 0) {
		free(text);
		return ret;
	}
	table->owned[table->owned_count++] = text;
	*ret_text = text;
	return 0;
}

static int name_line_row(struct table *table, struct table_row *row)
{
	char *text;

	if (!row->line) {
		row->name = *row->file ? names_base(row->file) : row->function;
		return 0;
	}
	if (asprintf(&text, "%s:%u", names_base(row->file), row->line) < 0)
		return -ENOMEM;
	return own(table, text, &row->name);
}

static int fill_code_row(const struct builder *builder, const struct place *place,
			 struct table_row *row)
{
	const struct profile *profile = builder->profile;
	enum table_by by = builder->options->by;
	int ret = 0;

	row->object = names_object(profile, place->object);
	row->path = profile_text(profile, profile->mappings[place->object].path);
	row->class = profile->mappings[place->object].class;
	if (by == TABLE_BY_OBJECT) {
		row->name = row->object;
		return 0;
	}
	if (by != TABLE_BY_FUNCTION)
		row->inlined = profile_text(profile, place->inlined);
	if (place->function)
		row->function = profile_text(profile, place->function);
	else
		ret = own(builder->table, names_bare(profile, place->location), &row->function);
	row->name = row->function;
	if (by == TABLE_BY_ADDRESS && place->location->kind == LOCATION_ADDRESS)
		row->address = place->location->address;
	if (by != TABLE_BY_FUNCTION) {
		row->file = profile_text(profile, place->file);
		row->line = place->line;
	}
	if (ret >= 0 && by == TABLE_BY_LINE)
		ret = name_line_row(builder->table, row);
	return ret;
}

static int fill_task_row(const struct builder *builder, const struct place *place,
			 const struct profile_task *task, struct table_row *row)
{
	enum table_by by = builder->options->by;
	char *text;

	row->name = is_idle(builder, place) ? "[idle]" : table_label_none(by);
	if (!table_label(by, task))
		return 0;
	if (by == TABLE_BY_CPU) {
		row->cpu = task->cpu;
		if (asprintf(&text, "cpu %u%s", task->cpu - 1,
			     is_idle(builder, place) ? " [idle]" : "") < 0)
			return -ENOMEM;
		return own(builder->table, text, &row->name);
	}
	if (by == TABLE_BY_CGROUP) {
		row->name = row->cgroup = profile_text(builder->profile, task->cgroup);
		return 0;
	}
	row->name = profile_text(builder->profile, task->name);
	row->pid = by == TABLE_BY_COMM ? 0 : task->pid;
	row->tid = by == TABLE_BY_THREAD ? task->tid : 0;
	if (by == TABLE_BY_PROCESS)
		row->title = table_title(builder->profile, task);
	return 0;
}

/* A row for a key not seen before. */
static int add_row(struct builder *builder, const struct place *place,
		   const struct profile_task *task)
{
	struct table *table = builder->table;
	struct table_row *row;
	int ret;

	ret = ARRAY_RESERVE(table->rows, builder->row_capacity, table->row_count + 1);
	if (ret < 0)
		return ret;
	row = &table->rows[table->row_count];
	*row = (struct table_row){.name = "",
				  .function = "",
				  .object = "",
				  .path = "",
				  .file = "",
				  .cgroup = "",
				  .title = "",
				  .inlined = "",
				  .number = (uint32_t)table->row_count++};
	return table_by_label(table->by) ? fill_task_row(builder, place, task, row)
					 : fill_code_row(builder, place, row);
}

static bool passes_object(const struct builder *builder, const struct place *place)
{
	const struct profile *profile = builder->profile;
	const char *wanted = builder->options->object;

	return !wanted || !strcmp(wanted, names_object(profile, place->object)) ||
	       !strcmp(wanted, profile_text(profile, profile->mappings[place->object].path));
}

/* Returns 1 when PLACE passes, 0 when not, or -ENOMEM. */
static int passes_function(const struct builder *builder, const struct place *place)
{
	char *bare;
	int ret;

	if (!builder->function)
		return 1;
	if (place->function)
		return !regexec(builder->function, profile_text(builder->profile, place->function),
				0, NULL, 0);
	bare = names_bare(builder->profile, place->location);
	if (!bare)
		return -ENOMEM;
	ret = !regexec(builder->function, bare, 0, NULL, 0);
	free(bare);
	return ret;
}

/* Returns 0 or -ENOMEM. */
static int charge_row(struct builder *builder, uint32_t number, const struct place *place,
		      uint64_t ticks)
{
	struct table *table = builder->table;

	table->rows[number].ticks = ticks_add(table->rows[number].ticks, ticks);
	table->shown = ticks_add(table->shown, ticks);
	if (!builder->options->inlines || !place->inlined)
		return 0;
	return table_inlines_add(table, &builder->parts, number, place->inlined,
				 profile_text(builder->profile, place->inlined), ticks);
}

static int add_cell(struct builder *builder, const struct profile_cell *cell)
{
	const struct profile *profile = builder->profile;
	const struct profile_task *task = table_task_of(profile, cell);
	struct table *table = builder->table;
	struct place place =
		place_of(profile, builder->objects, &profile->locations[cell->location]);
	struct key key;
	uint32_t number;
	int ret;

	table->total = ticks_add(table->total, cell->ticks);
	if (!passes_object(builder, &place))
		return 0;
	ret = passes_function(builder, &place);
	if (ret <= 0)
		return ret;
	key = row_key(builder, &place, task);
	ret = keyset_add(&builder->keys, &key, &number);
	if (ret > 0)
		ret = add_row(builder, &place, task);
	if (ret < 0)
		return ret;
	ret = charge_row(builder, number, &place, cell->ticks);
	/* A process is called what its first thread is, whichever had the first cell. */
	if (table->by == TABLE_BY_PROCESS && task && task->tid == task->pid)
		table->rows[number].name = profile_text(profile, task->name);
	return ret;
}

/* The row of each location, made where only callers are in it; what the filters take out are one
 * row more. */
static int find_rows(struct builder *builder, uint32_t *ret_rows)
{
	const struct profile *profile = builder->profile;
	int ret = 0;

	for (size_t i = 0; i < profile->location_count && ret >= 0; i++) {
		struct place place = place_of(profile, builder->objects, &profile->locations[i]);
		struct key key = row_key(builder, &place, NULL);

		ret_rows[i] = TABLE_NO_ROW;
		ret = passes_object(builder, &place) ? passes_function(builder, &place) : 0;
		if (ret > 0)
			ret = keyset_add(&builder->keys, &key, &ret_rows[i]);
		if (ret > 0 && ret_rows[i] == builder->table->row_count)
			ret = add_row(builder, &place, NULL);
	}
	return ret < 0 ? ret : 0;
}

/* What was on the stack, of rows of code. */
static int add_totals(struct builder *builder)
{
	const struct profile *profile = builder->profile;
	size_t charged = builder->table->row_count;
	uint32_t *rows;
	int ret;

	if (table_by_label(builder->table->by) || !tree_has_stacks(profile))
		return 0;
	rows = calloc(profile->location_count + 1, sizeof(*rows));
	ret = rows ? find_rows(builder, rows) : -ENOMEM;
	if (ret >= 0)
		ret = table_totals_add(builder->table, profile, rows, charged);
	free(rows);
	return ret;
}

static int build_rows(struct builder *builder)
{
	const struct profile *profile = builder->profile;
	int ret = 0;

	builder->objects = place_objects(profile);
	if (!builder->objects)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = add_cell(builder, &profile->cells[i]);
	if (ret >= 0)
		ret = add_totals(builder);
	free(builder->objects);
	keyset_done(&builder->keys);
	keyset_done(&builder->parts);
	if (ret < 0)
		return ret;
	table_put_in_order(builder->table, builder->options->by_total);
	return table_inlines_settle(builder->table);
}

int table_compile_function(const char *pattern, regex_t *ret_regex, struct error *reterr)
{
	char why[128];
	int ret = regcomp(ret_regex, pattern, REG_EXTENDED | REG_NOSUB);

	if (!ret)
		return 0;
	if (ret == REG_ESPACE)
		return -ENOMEM;
	(void)regerror(ret, ret_regex, why, sizeof(why));
	return error_set(reterr, -EINVAL, "--function '%s': %s: give an extended regex (regex(7))",
			 pattern, why);
}

int table_build(const struct profile *profile, const struct table_options *options,
		struct table **ret_table, struct error *reterr)
{
	struct builder builder = {.profile = profile, .options = options};
	regex_t regex;
	int ret;

	ret = table_check_labels(profile, options->by, reterr);
	if (ret < 0)
		return ret;
	builder.table = calloc(1, sizeof(*builder.table));
	if (!builder.table)
		return -ENOMEM;
	builder.table->by = options->by;
	if (options->function) {
		ret = table_compile_function(options->function, &regex, reterr);
		builder.function = &regex;
	}
	if (ret >= 0) {
		ret = build_rows(&builder);
		if (builder.function)
			regfree(&regex);
	}
	if (ret < 0) {
		(void)table_free(builder.table);
		return ret;
	}
	*ret_table = builder.table;
	return 0;
}

struct table *table_free(struct table *table)
{
	if (!table)
		return NULL;
	for (size_t i = 0; i < table->owned_count; i++)
		free(table->owned[i]);
	free(table->owned);
	free(table->parts);
	free(table->rows);
	free(table);
	return NULL;
}
