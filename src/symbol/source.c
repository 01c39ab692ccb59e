// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/source.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

int batch_take(const struct symbol_batch *batch, size_t index, enum symbol_certainty certainty,
	       const char *name)
{
	struct symbol_frame frame = {.file = ""};
	struct symbol_place place = {certainty, 1, &frame};

	if (demangler_show(batch->symbols->demangler, name, &frame.system_name, &frame.function))
		return -ENOMEM;
	return batch->take(batch->context, index, &place);
}

int batch_take_unknown(const struct symbol_batch *batch, size_t index, const char *object)
{
	char name[512];

	snprintf(name, sizeof(name), "%.480s+0x%" PRIx64, object, batch->addresses[index]);
	return batch_take(batch, index, SYMBOL_UNKNOWN, name);
}

int batch_take_all_unknown(const struct symbol_batch *batch, const char *object)
{
	int result = 0;

	for (size_t i = 0; i < batch->count && !result; i++)
		result = batch_take_unknown(batch, i, object);
	return result;
}

size_t batch_lower_bound(const struct symbol_batch *batch, uint64_t address)
{
	return ARRAY_FIRST_NOT(i, batch->count, batch->addresses[i] < address);
}
