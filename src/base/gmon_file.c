// SPDX-License-Identifier: BSD-2-Clause
#include "base/gmon_file.h"

void gmon_file_number(const struct gmon_file *file, uint64_t number, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[file->big ? size - 1 - i : i] = (uint8_t)(number >> 8 * i);
	file->take(file->taker, bytes, size);
}

void gmon_file_zeros(const struct gmon_file *file, size_t size)
{
	while (size--)
		gmon_file_number(file, 0, 1);
}

void gmon_file_begin(const struct gmon_file *file)
{
	if (file->kind != GMON_GNU)
		return;
	file->take(file->taker, "gmon", 4);
	gmon_file_number(file, GMON_VERSION, 4);
	gmon_file_zeros(file, GMON_SPARE);
}

/* The size counts the header, too. */
static void put_bsd_rest(const struct gmon_file *file, uint64_t bins)
{
	bool is_44 = file->kind == GMON_BSD44;

	gmon_file_number(file, 2 * file->word + 4 + (is_44 ? 8 + GMON_SPARE : 0) + bins * GMON_BIN,
			 4);
	if (!is_44) /* the rate is nowhere: the reader takes its own machine's, mostly 100 a second
		     */
		return;
	gmon_file_number(file, GMON_BSD44_VERSION, 4);
	gmon_file_number(file, file->rate, 4);
	gmon_file_zeros(file, GMON_SPARE);
}

void gmon_file_histogram(const struct gmon_file *file, uint64_t start, uint64_t limit,
			 uint64_t bins)
{
	static const char dimension[GMON_DIMENSION + 1] = "seconds\0\0\0\0\0\0\0\0s";

	if (file->kind == GMON_GNU)
		gmon_file_number(file, GMON_TIME_HIST, 1);
	gmon_file_number(file, start, file->word);
	gmon_file_number(file, limit, file->word);
	if (file->kind != GMON_GNU) {
		put_bsd_rest(file, bins);
		return;
	}
	gmon_file_number(file, bins, 4);
	gmon_file_number(file, file->rate, 4);
	file->take(file->taker, dimension, sizeof(dimension));
}

void gmon_file_bin(const struct gmon_file *file, uint64_t ticks)
{
	gmon_file_number(file, ticks < GMON_BIN_MAX ? ticks : GMON_BIN_MAX, GMON_BIN);
}

void gmon_file_arc(const struct gmon_file *file, uint64_t caller, uint64_t callee, uint64_t count)
{
	size_t size = file->kind == GMON_GNU ? 4 : file->word;
	uint64_t most = size < 8 ? (1ull << 8 * size) - 1 : UINT64_MAX;

	for (uint64_t rest = count, part; rest; rest -= part) {
		part = rest < most ? rest : most;
		if (file->kind == GMON_GNU)
			gmon_file_number(file, GMON_CALL_ARC, 1);
		gmon_file_number(file, caller, file->word);
		gmon_file_number(file, callee, file->word);
		gmon_file_number(file, part, size);
	}
}
