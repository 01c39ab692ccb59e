// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/names.h"
#include "analysis/table_labels.h"
#include "analysis/table_private.h"
#include "base/array.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What tells the rows of a table apart, and what they are called. */

static bool is_idle(const struct table_builder *builder, const struct place *place)
{
	return builder->profile->mappings[place->object].class == CLASS_IDLE;
}

/* String: why a thread waited; 0: it did not. */
static uint32_t reason_of(const struct table_builder *builder, const struct place *place)
{
	const struct profile *profile = builder->profile;
	const char *on_cpu = table_label_none(TABLE_BY_REASON);
	bool is_time = profile->mappings[place->object].class == CLASS_TIME;

	return is_time && strcmp(profile_text(profile, place->function), on_cpu) != 0
		       ? place->function
		       : 0;
}

/* What tells rows apart.  A place without a name is a row of its own wherever code is shown, and so
 * is what was idle. */
static struct key row_key(const struct table_builder *builder, const struct place *place,
			  const struct profile_task *task)
{
	const struct profile_location *location = place->location;
	enum table_by by = builder->options->by;
	struct key key = {0};

	if (table_by_label(by)) {
		key.words[0] =
			by == TABLE_BY_REASON ? reason_of(builder, place) : table_label(by, task);
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
		row->name = *row->file ? path_base(row->file) : row->function;
		return 0;
	}
	if (asprintf(&text, "%s:%u", path_base(row->file), row->line) < 0)
		return -ENOMEM;
	return own(table, text, &row->name);
}

static int fill_code_row(const struct table_builder *builder, const struct place *place,
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

static int fill_task_row(const struct table_builder *builder, const struct place *place,
			 const struct profile_task *task, struct table_row *row)
{
	enum table_by by = builder->options->by;
	char *text;

	row->name = is_idle(builder, place) ? "[idle]" : table_label_none(by);
	if (by == TABLE_BY_REASON && reason_of(builder, place))
		row->name = profile_text(builder->profile, reason_of(builder, place));
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
static int add_row(struct table_builder *builder, const struct place *place,
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

static bool passes_object(const struct table_builder *builder, const struct place *place)
{
	const struct profile *profile = builder->profile;
	const char *wanted = builder->options->object;

	return !wanted || !strcmp(wanted, names_object(profile, place->object)) ||
	       !strcmp(wanted, profile_text(profile, profile->mappings[place->object].path));
}

/* Returns 1 when PLACE passes, 0 when not, or -ENOMEM. */
static int passes_function(const struct table_builder *builder, const struct place *place)
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

int table_row_find(struct table_builder *builder, const struct place *place,
		   const struct profile_task *task, uint32_t *ret_number)
{
	struct key key;
	int ret = passes_object(builder, place) ? passes_function(builder, place) : 0;

	if (ret <= 0)
		return ret;
	key = row_key(builder, place, task);
	ret = keyset_add(&builder->keys, &key, ret_number);
	if (ret > 0)
		ret = add_row(builder, place, task);
	if (ret < 0)
		return ret;
	/* A process is called what its first thread is, whichever had the first cell. */
	if (builder->table->by == TABLE_BY_PROCESS && task && task->tid == task->pid)
		builder->table->rows[*ret_number].name = profile_text(builder->profile, task->name);
	return 1;
}
