// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_lives.h"

#include "analysis/filter.h"
#include "analysis/table_labels.h"
#include "analysis/table_totals.h"

#include <errno.h>
#include <stdlib.h>

static const enum histogram_value values[LIFE_VALUES] = {
	[LIFE_RUNNING] = VALUE_RUNNING,
	[LIFE_QUEUED] = VALUE_RUNQUEUE,
	[LIFE_BLOCKED] = VALUE_BLOCKED,
	[LIFE_TIMES_QUEUED] = VALUE_TIMES_QUEUED,
	[LIFE_TIMES_BLOCKED] = VALUE_TIMES_BLOCKED,
};

int table_value_begin(const struct table_builder *builder, struct profile *ret_of_value)
{
	const struct profile *profile = builder->profile;
	enum histogram_value value = builder->options->value - 1;
	struct profile of_value = *profile;
	int ret = filter_cells(profile, value, &of_value.cells, &of_value.cell_count);

	if (ret)
		return ret;
	if (builder->options->by != TABLE_BY_REASON)
		filter_to_callers(&of_value);
	*ret_of_value = of_value;
	return 0;
}

static bool is_idle(const struct profile *profile, const struct profile_cell *cell)
{
	uint32_t mapping = profile->locations[cell->location].mapping;

	return profile->mappings[mapping].class == CLASS_IDLE;
}

/* Time on CPUs is known exactly of threads, and not of code or of CPUs. */
static bool is_exact(const struct table_builder *builder)
{
	const struct table_options *options = builder->options;
	const struct profile *running = &builder->lives[LIFE_RUNNING];
	bool is = options->by == TABLE_BY_REASON && running->cell_count;

	for (size_t i = 0; i < running->cell_count && !is; i++)
		is = table_label(options->by, table_task_of(running, &running->cells[i]));
	return is && table_by_label(options->by) && !options->object && !options->function;
}

int table_lives_begin(struct table_builder *builder)
{
	const struct profile *profile = builder->profile;
	enum table_by by = builder->options->by;
	struct profile *running = &builder->lives[LIFE_RUNNING];
	int ret = 0;

	if (!builder->options->lives || !profile_counts(profile, VALUE_LIFETIME))
		return 0;
	builder->table->has_lives = true;
	for (int i = 0; i < LIFE_VALUES && !ret; i++) {
		struct profile *life = &builder->lives[i];

		*life = *profile;
		life->cells = NULL;
		ret = filter_cells(profile, values[i], &life->cells, &life->cell_count);
		if (!ret && by != TABLE_BY_REASON)
			filter_to_callers(life);
	}
	builder->table->is_exact = !ret && is_exact(builder);
	if (ret || builder->table->is_exact)
		return ret;
	free(running->cells);
	running->cells = NULL;
	return filter_thread_time(profile, /* waits= */ false, running);
}

void table_lives_done(struct table_builder *builder)
{
	for (int i = 0; i < LIFE_VALUES; i++)
		free(builder->lives[i].cells);
}

void table_lives_add_idle(struct table_builder *builder, const struct profile_cell *cell,
			  struct table_row *row)
{
	uint64_t ns = filter_time(builder->profile, cell->ticks);

	if (!builder->table->has_lives || !is_idle(builder->profile, cell))
		return;
	row->idle = ticks_add(row->idle, ns);
	builder->table->idle = ticks_add(builder->table->idle, ns);
}

static int add_cell(struct table_builder *builder, int life, const struct profile_cell *cell)
{
	const struct profile *profile = builder->profile;
	struct table *table = builder->table;
	struct place place =
		place_of(profile, builder->objects, &profile->locations[cell->location]);
	struct table_part *part;
	uint32_t row;
	int ret = table_row_find(builder, &place, table_task_of(profile, cell), &row);

	table->lives[life] = ticks_add(table->lives[life], cell->ticks);
	if (ret <= 0)
		return ret;
	table->rows[row].own[life] = ticks_add(table->rows[row].own[life], cell->ticks);
	table->shown_lives[life] = ticks_add(table->shown_lives[life], cell->ticks);
	ret = table_part_find(builder, &place, row, &part);
	if (ret >= 0 && part)
		part->own[life] = ticks_add(part->own[life], cell->ticks);
	return ret;
}

int table_lives_add(struct table_builder *builder)
{
	int ret = 0;

	for (int i = 0; i < LIFE_VALUES; i++)
		for (size_t j = 0; j < builder->lives[i].cell_count && ret >= 0; j++)
			ret = add_cell(builder, i, &builder->lives[i].cells[j]);
	return ret;
}

int table_lives_add_totals(struct table_builder *builder, uint32_t *rows)
{
	struct table *table = builder->table;
	uint64_t *totals = calloc(table->row_count + 1, sizeof(*totals));
	int ret = totals ? 0 : -ENOMEM;

	for (int i = 0; i < LIFE_STATES && table->has_lives && !ret; i++) {
		ret = table_totals_find(table, &builder->lives[i], rows, totals);
		for (size_t j = 0; j < table->row_count && !ret; j++)
			table->rows[j].all[i] = totals[j];
	}
	free(totals);
	return ret;
}
