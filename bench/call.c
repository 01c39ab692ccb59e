// SPDX-License-Identifier: BSD-2-Clause
#include "call.h"

#include <stdio.h>
#include <stdlib.h>

void call_refuse(const char *name, const char *why)
{
	fprintf(stderr, "%s: %s\n", name, why);
	exit(77);
}

uint64_t call_sum(const void *cells, unsigned bits, uint64_t ret_counts[static WORK_COPIES])
{
	const uint16_t *narrow = cells;
	const uint32_t *wide = cells;
	uint64_t all = 0;

	for (size_t i = 0; i < WORK_COPIES; i++)
		ret_counts[i] = 0;
	for (size_t i = 0; i < CALL_CELLS; i++) {
		uint64_t count = bits == 16 ? narrow[i] : wide[i];

		ret_counts[i * 2 / WORK_COPY_SIZE] += count;
		all += count;
	}
	return all;
}

static void none_start(unsigned long rate)
{
}

static uint64_t none_stop(uint64_t ret_counts[static WORK_COPIES])
{
	for (size_t i = 0; i < WORK_COPIES; i++)
		ret_counts[i] = 0;
	return 0;
}

const struct call call_none = {"none", none_start, none_stop};
