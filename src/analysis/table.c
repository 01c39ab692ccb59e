// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table.h"

#include "analysis/filter.h"
#include "analysis/table_inlines.h"
#include "analysis/table_labels.h"
#include "analysis/table_lives.h"
#include "analysis/table_totals.h"
#include "analysis/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OF(by, name) [TABLE_BY_##by] = (name),
static const char *const by_names[TABLE_BYS] = {TABLE_BY_EACH(NAME_OF, NAME_OF)};

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

static int add_cell(struct table_builder *builder, const struct profile_cell *cell)
{
	const struct profile *profile = builder->profile;
	const struct profile_task *task = table_task_of(profile, cell);
	struct table *table = builder->table;
	struct place place =
		place_of(profile, builder->objects, &profile->locations[cell->location]);
	struct table_part *part;
	uint32_t number;
	int ret = table_row_find(builder, &place, task, &number);

	table->total = ticks_add(table->total, cell->ticks);
	if (ret <= 0)
		return ret;
	if (table->of_cell)
		table->of_cell[cell - profile->cells] = number;
	table->rows[number].ticks = ticks_add(table->rows[number].ticks, cell->ticks);
	table->shown = ticks_add(table->shown, cell->ticks);
	table_lives_add_idle(builder, cell, &table->rows[number]);
	ret = table_part_find(builder, &place, number, &part);
	if (ret >= 0 && part)
		part->ticks = ticks_add(part->ticks, cell->ticks);
	return ret;
}

/* The row of each location, made where only callers are in it; what the filters take out are one
 * row more. */
static int find_rows(struct table_builder *builder, uint32_t *ret_rows)
{
	const struct profile *profile = builder->profile;
	int ret = 0;

	for (size_t i = 0; i < profile->location_count && ret >= 0; i++) {
		struct place place = place_of(profile, builder->objects, &profile->locations[i]);

		ret = table_row_find(builder, &place, NULL, &ret_rows[i]);
		if (!ret)
			ret_rows[i] = TABLE_NO_ROW;
	}
	return ret < 0 ? ret : 0;
}

static int add_samples_totals(struct table *table, const struct profile *profile, uint32_t *rows)
{
	uint64_t *totals = calloc(table->row_count + 1, sizeof(*totals));
	int ret = totals ? table_totals_find(table, profile, rows, totals) : -ENOMEM;

	for (size_t i = 0; i < table->row_count && !ret; i++)
		table->rows[i].total = totals[i];
	free(totals);
	return ret;
}

static void take_samples_totals(struct table_builder *builder, const uint32_t *rows)
{
	const struct table_options *options = builder->options;

	for (size_t i = 0; i < builder->profile->location_count; i++)
		if (rows[i] != TABLE_NO_ROW)
			builder->table->rows[rows[i]].total =
				options->tree->sums[options->functions->of_location[i]].total;
}

/* What was on the stack, of rows of code. */
static int add_totals(struct table_builder *builder)
{
	const struct profile *profile = builder->profile;
	struct table *table = builder->table;
	size_t counted = table->row_count;
	uint32_t *rows;
	int ret;

	if (table_by_label(table->by) || !tree_has_stacks(profile))
		return 0;
	rows = calloc(profile->location_count + 1, sizeof(*rows));
	ret = rows ? find_rows(builder, rows) : -ENOMEM;
	if (ret >= 0 && builder->options->tree && table->by == TABLE_BY_FUNCTION)
		take_samples_totals(builder, rows);
	else if (ret >= 0)
		ret = add_samples_totals(table, profile, rows);
	if (ret >= 0)
		ret = table_lives_add_totals(builder, rows);
	if (ret >= 0)
		table_totals_keep(table, counted);
	free(rows);
	return ret;
}

static int add_all(struct table_builder *builder)
{
	const struct profile *profile = builder->profile;
	int ret = table_lives_begin(builder);

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = add_cell(builder, &profile->cells[i]);
	if (ret >= 0)
		ret = table_lives_add(builder);
	if (ret >= 0)
		ret = add_totals(builder);
	table_lives_done(builder);
	return ret;
}

/* Rows that were numbered as they were found are in order now. */
static int settle_cells(struct table *table, size_t cells)
{
	uint32_t *place = calloc(table->row_count + 1, sizeof(*place));

	if (!place)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++)
		place[table->rows[i].number] = i;
	for (size_t i = 0; i < cells; i++)
		table->of_cell[i] = place[table->of_cell[i]];
	free(place);
	return 0;
}

static int build_all(struct table_builder *builder)
{
	size_t cells = builder->profile->cell_count;
	struct table *table = builder->table;
	int ret;

	if (builder->options->of_cells)
		table->of_cell = calloc(cells + 1, sizeof(*table->of_cell));
	builder->objects = place_objects(builder->profile);
	if (!builder->objects || (builder->options->of_cells && !table->of_cell)) {
		free(builder->objects);
		return -ENOMEM;
	}
	ret = add_all(builder);
	free(builder->objects);
	keyset_done(&builder->keys);
	keyset_done(&builder->parts);
	if (ret < 0)
		return ret;
	table_put_in_order(table, builder->options->by_total);
	if (table->of_cell)
		ret = settle_cells(table, cells);
	return ret < 0 ? ret : table_inlines_settle(table);
}

static int build_rows(struct table_builder *builder)
{
	struct profile of_value;
	int ret;

	if (!builder->options->value)
		return build_all(builder);
	ret = table_value_begin(builder, &of_value);
	if (ret)
		return ret;
	builder->profile = &of_value;
	ret = build_all(builder);
	free(of_value.cells);
	return ret;
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
	struct table_builder builder = {.profile = profile, .options = options};
	regex_t regex;
	int ret;

	ret = table_check_labels(profile, options->by, reterr);
	if (!ret && options->value)
		ret = filter_counts(profile, options->value - 1, reterr);
	if (ret < 0)
		return ret;
	builder.table = calloc(1, sizeof(*builder.table));
	if (!builder.table)
		return -ENOMEM;
	builder.table->by = options->by;
	builder.table->value = options->value;
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
	free(table->of_cell);
	free(table->rows);
	free(table);
	return NULL;
}
