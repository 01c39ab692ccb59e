// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon_put.h"

/* gprof's finest bin is of two bytes, so that all bins are.  GNU's file has a histogram for each
 * stretch of text that was hit; gprof adds equal ranges, so that a cell of more than 65,535 ticks
 * has a range of its own, as often as it takes.  The files of BSD and of the seventh edition have
 * one range, and count to 65,535.  Of calls there are as many records as their sum takes. */

#define GAP_MAX 4096 /* between cells of one histogram: cheaper than another one's head */

static void put_number(struct gmon_out *out, uint64_t number, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[out->big ? size - 1 - i : i] = (uint8_t)(number >> 8 * i);
	output_bytes(&out->output, bytes, size);
}

static void put_zeros(struct gmon_out *out, size_t size)
{
	while (size--)
		put_number(out, 0, 1);
}

/* The bins of COUNT cells, which lie in a range that begins at START and ends after the last. */
static void put_bins(struct gmon_out *out, const struct gmon_cell *cells, size_t count,
		     uint64_t start)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t ticks = cells[i].ticks;

		put_zeros(out, cells[i].address - start);
		if (ticks > GMON_BIN_MAX) {
			out->cut = ticks_add(out->cut, ticks - GMON_BIN_MAX);
			ticks = GMON_BIN_MAX;
		}
		put_number(out, ticks, GMON_BIN);
		start = cells[i].address + GMON_BIN;
	}
}

static void put_arc(struct gmon_out *out, const struct gmon_call *call, size_t count_size)
{
	uint64_t most = count_size < 8 ? (1ull << 8 * count_size) - 1 : UINT64_MAX;

	for (uint64_t rest = call->count, part; rest; rest -= part) {
		part = rest < most ? rest : most;
		if (out->kind == GMON_GNU)
			put_number(out, GMON_CALL_ARC, 1);
		put_number(out, call->caller, out->word);
		put_number(out, call->callee, out->word);
		put_number(out, part, count_size);
	}
}

static void put_arcs(struct gmon_out *out, const struct gmon_content *content, size_t count_size)
{
	for (size_t i = 0; i < content->call_count; i++)
		put_arc(out, &content->calls[i], count_size);
}

static void put_histogram(struct gmon_out *out, const struct gmon_cell *cells, size_t count)
{
	static const char dimension[GMON_DIMENSION + 1] = "seconds\0\0\0\0\0\0\0\0s";
	uint64_t start = cells[0].address, limit = cells[count - 1].address + GMON_BIN;

	put_number(out, GMON_TIME_HIST, 1);
	put_number(out, start, out->word);
	put_number(out, limit, out->word);
	put_number(out, (limit - start) / GMON_BIN, 4);
	put_number(out, out->rate, 4);
	output_bytes(&out->output, dimension, sizeof(dimension));
	put_bins(out, cells, count, start);
}

/* How many cells from the first on are one histogram. */
static size_t stretch(const struct gmon_cell *cells, size_t count)
{
	size_t i = 1;

	if (cells[0].ticks > GMON_BIN_MAX)
		return 1;
	while (i < count && cells[i].ticks <= GMON_BIN_MAX &&
	       cells[i].address - cells[i - 1].address <= GAP_MAX)
		i++;
	return i;
}

static void put_gnu_histograms(struct gmon_out *out, const struct gmon_cell *cells, size_t count)
{
	size_t here;

	for (size_t i = 0; i < count; i += here) {
		struct gmon_cell cell = cells[i];

		here = stretch(cells + i, count - i);
		for (; cell.ticks > GMON_BIN_MAX; cell.ticks -= GMON_BIN_MAX)
			put_histogram(
				out,
				&(struct gmon_cell){.address = cell.address, .ticks = GMON_BIN_MAX},
				1);
		put_histogram(out, here == 1 ? &cell : cells + i, here);
	}
}

static void put_gnu(struct gmon_out *out, const struct gmon_content *content)
{
	output_bytes(&out->output, "gmon", 4);
	put_number(out, GMON_VERSION, 4);
	put_zeros(out, GMON_SPARE);
	put_gnu_histograms(out, content->cells, content->cell_count);
	put_arcs(out, content, 4);
}

static void put_bsd(struct gmon_out *out, const struct gmon_content *content)
{
	const struct gmon_cell *cells = content->cells;
	bool is_44 = out->kind == GMON_BSD44;
	uint64_t start = cells[0].address;
	uint64_t limit = cells[content->cell_count - 1].address + GMON_BIN;
	uint64_t head = 2 * out->word + 4 + (is_44 ? 8 + GMON_SPARE : 0);

	put_number(out, start, out->word);
	put_number(out, limit, out->word);
	put_number(out, head + limit - start, 4);
	if (is_44) {
		put_number(out, GMON_BSD44_VERSION, 4);
		put_number(out, out->rate, 4);
		put_zeros(out, GMON_SPARE);
	}
	put_bins(out, cells, content->cell_count, start);
	put_arcs(out, content, out->word);
}

/* How many counters the seventh edition's file has: one a function, more where the number does not
 * hold the count.  Calls are in the order of what they call. */
static uint32_t put_counters(struct gmon_out *out, const struct gmon_content *content,
			     bool only_count)
{
	uint64_t most = out->word == 4 ? INT32_MAX : INT64_MAX;
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
			put_number(out, content->calls[i].callee, out->word);
			put_number(out, part, out->word);
		}
	}
	return counters;
}

/* The header is padded as a struct is. */
static void put_mon(struct gmon_out *out, const struct gmon_content *content)
{
	const struct gmon_cell *cells = content->cells;
	uint64_t start = cells[0].address;

	put_number(out, start, out->word);
	put_number(out, cells[content->cell_count - 1].address + GMON_BIN, out->word);
	put_number(out, put_counters(out, content, /* only_count= */ true), 4);
	put_zeros(out, out->word - 4);
	(void)put_counters(out, content, /* only_count= */ false);
	put_bins(out, cells, content->cell_count, start);
}

void gmon_put(struct gmon_out *out, const struct gmon_content *content)
{
	switch (out->kind) {
	case GMON_GNU:
		put_gnu(out, content);
		break;
	case GMON_BSD44:
	case GMON_BSD:
		put_bsd(out, content);
		break;
	case GMON_MON:
		put_mon(out, content);
		break;
	}
}
