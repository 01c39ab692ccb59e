// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/formats.h"

static void take_bytes(void *output, const void *bytes, size_t size)
{
	output_bytes(output, bytes, size);
}

static uint64_t cell_of(const struct object *object, size_t index)
{
	return __atomic_load_n(&object->cells[index], __ATOMIC_RELAXED);
}

/* A byte of the call, not where it returns to: a call that never returns may be its function's last
 * instruction.  A caller outside of the object, whose address another file may have, is 0: gprof
 * knows nobody there, and calls such a function spontaneous. */
static uintptr_t caller_in(const struct object *object, uintptr_t from)
{
	return from >= object->low && from < object->high ? from - object->base - 1 : 0;
}

static void put_arcs(const struct gmon_file *file, const struct object *object,
		     const struct arcs_table *calls)
{
	for (uint32_t i = 0; calls && i < arcs_used(calls); i++) {
		const struct arcs_arc *arc = &calls->arcs[i];

		if (arc->count && objects_at(arc->self) == object)
			gmon_file_arc(file, caller_in(object, arc->from), arc->self - object->base,
				      arc->count);
	}
}

/* Of a histogram that does not fit in one record, each so much (cells) has as many as its largest
 * count wants: gprof adds up those of the same range. */
#define CHUNK 1024

/* What of the counts comes before the record number TURN is left out, and what comes behind. */
static void put_histogram(const struct gmon_file *file, const struct object *object, size_t first,
			  size_t count, uint64_t turn)
{
	uintptr_t low = object->low - object->base + first * OBJECT_GRANULE;
	uint64_t before = turn * GMON_BIN_MAX;

	gmon_file_histogram(file, low, low + count * OBJECT_GRANULE, count);
	for (size_t i = first; i < first + count; i++) {
		uint64_t ticks = cell_of(object, i);

		gmon_file_bin(file, ticks > before ? ticks - before : 0);
	}
}

static uint64_t largest(const struct object *object, size_t first, size_t count)
{
	uint64_t max = 0;

	for (size_t i = first; i < first + count; i++)
		if (cell_of(object, i) > max)
			max = cell_of(object, i);
	return max;
}

static void put_histograms(const struct gmon_file *file, const struct object *object)
{
	size_t all = object_cells(object);

	/* There is one in those of BSD: what is more than 16 bits hold is cut off. */
	if (file->kind != GMON_GNU || largest(object, 0, all) <= GMON_BIN_MAX) {
		put_histogram(file, object, 0, all, 0);
		return;
	}
	for (size_t first = 0; first < all; first += CHUNK) {
		size_t count = all - first < CHUNK ? all - first : CHUNK;
		uint64_t max = largest(object, first, count);

		for (uint64_t turn = 0; turn * GMON_BIN_MAX < max; turn++)
			put_histogram(file, object, first, count, turn);
	}
}

void gmon_format_write(const struct gmon_format *format, struct output *output,
		       const struct object *object, const struct arcs_table *calls, unsigned hertz)
{
	const struct gmon_file file = {
		.take = take_bytes,
		.taker = output,
		.kind = format->kind,
		.word = sizeof(uintptr_t),
		.big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
		.rate = hertz,
	};

	gmon_file_begin(&file);
	put_histograms(&file, object);
	put_arcs(&file, object, calls);
}

const struct gmon_format gmon_formats[] = {
	{"gnu", GMON_GNU},
	{"4.4bsd", GMON_BSD44},
	{"bsd", GMON_BSD},
	{},
};
