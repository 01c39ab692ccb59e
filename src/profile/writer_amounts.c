// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct key key_of(const struct profile_cell *cell)
{
	return (struct key){{(uint64_t)cell->location << 32 | cell->task,
			     (uint64_t)cell->context << 32 | (uint64_t)cell->stack_end}};
}

static int add_cells(struct writer_amounts *amounts, const struct profile *profile)
{
	uint32_t number;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < profile->cell_count; i++) {
		struct key key = key_of(&profile->cells[i]);

		ret = keyset_add(&amounts->keys, &key, &number);
	}
	return ret < 0 ? ret : 0;
}

static int add_amounts(struct writer_amounts *amounts, const struct profile *profile)
{
	int ret = 0;

	for (uint32_t i = 0; ret >= 0 && i < profile->amount_count; i++) {
		const struct profile_cell *amount = &profile->amounts[i];
		struct key key = key_of(amount);
		uint64_t *sum;
		uint32_t number;

		ret = keyset_add(&amounts->keys, &key, &number);
		if (ret < 0)
			return ret;
		if (ret > 0)
			amounts->without[amounts->without_count++] = i;
		sum = &amounts->rows[number * profile->value_count + amount->value - 1];
		*sum = ticks_add(*sum, amount->ticks);
	}
	return 0;
}

int writer_find_amounts(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	struct writer_amounts *amounts = &writer->amounts;
	size_t samples = profile->cell_count + profile->amount_count;
	int ret;

	if (!profile->value_count)
		return 0;
	amounts->rows = calloc(samples + 1, profile->value_count * sizeof(*amounts->rows));
	amounts->without = calloc(profile->amount_count + 1, sizeof(*amounts->without));
	if (!amounts->rows || !amounts->without)
		return -ENOMEM;
	ret = add_cells(amounts, profile);
	return ret ? ret : add_amounts(amounts, profile);
}

void writer_done_amounts(struct writer *writer)
{
	keyset_done(&writer->amounts.keys);
	free(writer->amounts.rows);
	free(writer->amounts.without);
}

int writer_take_amounts(struct writer *writer, const struct profile_cell *cell)
{
	size_t count = writer->profile->value_count, size = count * sizeof(*writer->values);
	uint64_t *values = writer->values + writer_values(writer) - count, *row;
	struct key key = key_of(cell);
	uint32_t number;
	int ret;

	if (!count)
		return 0;
	ret = keyset_add(&writer->amounts.keys, &key, &number);
	if (ret < 0)
		return ret;
	row = &writer->amounts.rows[number * count];
	memcpy(values, row, size);
	memset(row, 0, size);
	return 0;
}
