// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/formats.h"

/* In the byte order of this machine and without padding: so gprof reads them. */
static void put_word(struct output *output, uintptr_t word)
{
	output_bytes(output, &word, sizeof(word));
}

static void put_int(struct output *output, uint32_t number)
{
	output_bytes(output, &number, sizeof(number));
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

typedef void put_arc(struct output *output, uintptr_t from, uintptr_t self, uint64_t count);

static void put_arcs(struct output *output, const struct object *object,
		     const struct arcs_table *calls, put_arc *put)
{
	for (uint32_t i = 0; calls && i < arcs_used(calls); i++) {
		const struct arcs_arc *arc = &calls->arcs[i];

		if (arc->count && objects_at(arc->self) == object)
			put(output, caller_in(object, arc->from), arc->self - object->base,
			    arc->count);
	}
}

/* GNU: "gmon", version 1, then records that begin with a byte that says what they are. */
#define GNU_HISTOGRAM 0
#define GNU_ARC 1
#define COUNT_MAX UINT16_MAX

/* Of a histogram that does not fit in one record, each so much (cells) has as many as its largest
 * count wants: gprof adds up those of the same range. */
#define CHUNK 1024

/* The part of COUNT that is in the record number TURN. */
static uint16_t part_of(uint64_t count, uint64_t turn)
{
	uint64_t before = turn * COUNT_MAX;

	if (count <= before)
		return 0;
	return (uint16_t)(count - before < COUNT_MAX ? count - before : COUNT_MAX);
}

static void put_gnu_histogram(struct output *output, const struct object *object, size_t first,
			      size_t count, uint64_t turn, unsigned hertz)
{
	static const char dimension[15] = "seconds";
	uintptr_t low = object->low - object->base + first * OBJECT_GRANULE;
	uint8_t tag = GNU_HISTOGRAM;

	output_bytes(output, &tag, sizeof(tag));
	put_word(output, low);
	put_word(output, low + count * OBJECT_GRANULE);
	put_int(output, (uint32_t)count);
	put_int(output, hertz);
	output_bytes(output, dimension, sizeof(dimension));
	output_bytes(output, "s", 1);
	for (size_t i = first; i < first + count; i++) {
		uint16_t part = part_of(cell_of(object, i), turn);

		output_bytes(output, &part, sizeof(part));
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

static void put_gnu_histograms(struct output *output, const struct object *object, unsigned hertz)
{
	size_t all = object_cells(object);

	if (largest(object, 0, all) <= COUNT_MAX) {
		put_gnu_histogram(output, object, 0, all, 0, hertz);
		return;
	}
	for (size_t first = 0; first < all; first += CHUNK) {
		size_t count = all - first < CHUNK ? all - first : CHUNK;
		uint64_t max = largest(object, first, count);

		for (uint64_t turn = 0; turn * COUNT_MAX < max; turn++)
			put_gnu_histogram(output, object, first, count, turn, hertz);
	}
}

static void put_gnu_arc(struct output *output, uintptr_t from, uintptr_t self, uint64_t count)
{
	uint8_t tag = GNU_ARC;

	for (; count; count -= count < UINT32_MAX ? count : UINT32_MAX) {
		output_bytes(output, &tag, sizeof(tag));
		put_word(output, from);
		put_word(output, self);
		put_int(output, (uint32_t)(count < UINT32_MAX ? count : UINT32_MAX));
	}
}

static void write_gnu(struct output *output, const struct object *object,
		      const struct arcs_table *calls, unsigned hertz)
{
	static const char spare[12];

	output_bytes(output, "gmon", 4);
	put_int(output, 1);
	output_bytes(output, spare, sizeof(spare));
	put_gnu_histograms(output, object, hertz);
	put_arcs(output, object, calls, put_gnu_arc);
}

/* BSD: a header whose size counts as histogram, one histogram, and arcs to the end.  There is one
 * record and 16 bits: what is more than they hold is cut off. */
#define BSD44_VERSION 0x00051879
#define BSD44_HEADER 40
#define BSD_HEADER 20

static void put_bsd_head(struct output *output, const struct object *object, size_t header)
{
	put_word(output, object->low - object->base);
	put_word(output, object->high - object->base);
	put_int(output, (uint32_t)(object_cells(object) * sizeof(uint16_t) + header));
}

static void put_bsd_arc(struct output *output, uintptr_t from, uintptr_t self, uint64_t count)
{
	put_word(output, from);
	put_word(output, self);
	output_bytes(output, &count, sizeof(long));
}

static void put_bsd_rest(struct output *output, const struct object *object,
			 const struct arcs_table *calls)
{
	for (size_t i = 0; i < object_cells(object); i++) {
		uint16_t part = part_of(cell_of(object, i), 0);

		output_bytes(output, &part, sizeof(part));
	}
	put_arcs(output, object, calls, put_bsd_arc);
}

static void write_bsd44(struct output *output, const struct object *object,
			const struct arcs_table *calls, unsigned hertz)
{
	static const char spare[12];

	put_bsd_head(output, object, BSD44_HEADER);
	put_int(output, BSD44_VERSION);
	put_int(output, hertz);
	output_bytes(output, spare, sizeof(spare));
	put_bsd_rest(output, object, calls);
}

/* The rate is nowhere in it: the reader takes its own machine's, mostly 100 a second. */
static void write_bsd(struct output *output, const struct object *object,
		      const struct arcs_table *calls, unsigned hertz)
{
	put_bsd_head(output, object, BSD_HEADER);
	put_bsd_rest(output, object, calls);
}

static const struct gmon_format gnu = {.name = "gnu", .write = write_gnu};
static const struct gmon_format bsd44 = {.name = "4.4bsd", .write = write_bsd44};
static const struct gmon_format bsd = {.name = "bsd", .write = write_bsd};

const struct gmon_format *const gmon_formats[] = {&gnu, &bsd44, &bsd, NULL};
