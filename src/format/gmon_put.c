// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon_put.h"

/* gprof's finest bin is of two bytes, so that all bins are.  GNU's file has a histogram for each
 * stretch of text that was hit; gprof adds equal ranges, so that a cell of more than 65,535 ticks
 * has a range of its own, as often as it takes.  The files of BSD and of the seventh edition have
 * one range, and count to 65,535.  Of calls there are as many records as their sum takes. */

#define GAP_MAX 4096 /* between cells of one histogram: cheaper than another one's head */

static void take_bytes(void *output, const void *bytes, size_t size)
{
	output_bytes(output, bytes, size);
}

/* The bins of COUNT cells, which lie in a range that begins with the first and ends after the last.
 */
static void put_bins(struct gmon_out *out, const struct object_cell *cells, size_t count)
{
	uint64_t start = cells[0].address;

	for (size_t i = 0; i < count; i++) {
		gmon_file_zeros(&out->file, cells[i].address - start);
		if (cells[i].ticks > GMON_BIN_MAX)
			out->cut = ticks_add(out->cut, cells[i].ticks - GMON_BIN_MAX);
		gmon_file_bin(&out->file, cells[i].ticks);
		start = cells[i].address + GMON_BIN;
	}
}

static void put_histogram(struct gmon_out *out, const struct object_cell *cells, size_t count)
{
	uint64_t start = cells[0].address, limit = cells[count - 1].address + GMON_BIN;

	gmon_file_histogram(&out->file, start, limit, (limit - start) / GMON_BIN);
	put_bins(out, cells, count);
}

/* How many cells from the first on are one histogram. */
static size_t stretch(const struct object_cell *cells, size_t count)
{
	size_t i = 1;

	if (cells[0].ticks > GMON_BIN_MAX)
		return 1;
	while (i < count && cells[i].ticks <= GMON_BIN_MAX &&
	       cells[i].address - cells[i - 1].address <= GAP_MAX)
		i++;
	return i;
}

static void put_gnu_histograms(struct gmon_out *out, const struct object_cell *cells, size_t count)
{
	size_t here;

	for (size_t i = 0; i < count; i += here) {
		struct object_cell cell = cells[i];

		here = stretch(cells + i, count - i);
		for (; cell.ticks > GMON_BIN_MAX; cell.ticks -= GMON_BIN_MAX)
			put_histogram(out,
				      &(struct object_cell){.address = cell.address,
							    .ticks = GMON_BIN_MAX},
				      1);
		put_histogram(out, here == 1 ? &cell : cells + i, here);
	}
}

static void put_gmon(struct gmon_out *out, const struct gmon_content *content)
{
	gmon_file_begin(&out->file);
	if (out->file.kind == GMON_GNU)
		put_gnu_histograms(out, content->cells, content->cell_count);
	else
		put_histogram(out, content->cells, content->cell_count);
	for (size_t i = 0; i < content->call_count; i++) {
		const struct gmon_call *call = &content->calls[i];

		gmon_file_arc(&out->file, call->caller, call->callee, call->count);
	}
}

/* How many counters the seventh edition's file has: one a function, more where the number does not
 * hold the count.  Calls are in the order of what they call. */
static uint32_t put_counters(const struct gmon_file *file, const struct gmon_content *content,
			     bool only_count)
{
	uint64_t most = file->word == 4 ? INT32_MAX : INT64_MAX;
	uint32_t counters = 0;

	for (size_t i = 0, end; i < content->call_count; i = end) {
		uint64_t calls = 0;

		for (end = i; end < content->call_count &&
			      content->calls[end].callee == content->calls[i].callee;
		     end++)
			calls = ticks_add(calls, content->calls[end].count);
		for (uint64_t part; calls; calls -= part, counters++) {
			part = calls < most ? calls : most;
			if (only_count)
				continue;
			gmon_file_number(file, content->calls[i].callee, file->word);
			gmon_file_number(file, part, file->word);
		}
	}
	return counters;
}

/* The header is padded as a struct is. */
static void put_mon(struct gmon_out *out, const struct gmon_content *content)
{
	const struct object_cell *cells = content->cells;
	const struct gmon_file *file = &out->file;

	gmon_file_number(file, cells[0].address, file->word);
	gmon_file_number(file, cells[content->cell_count - 1].address + GMON_BIN, file->word);
	gmon_file_number(file, put_counters(file, content, /* only_count= */ true), 4);
	gmon_file_zeros(file, file->word - 4);
	(void)put_counters(file, content, /* only_count= */ false);
	put_bins(out, cells, content->cell_count);
}

void gmon_put(struct gmon_out *out, const struct gmon_content *content)
{
	out->file.take = take_bytes;
	out->file.taker = &out->output;
	if (out->file.kind == GMON_MON)
		put_mon(out, content);
	else
		put_gmon(out, content);
}
