// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon.h"

#include "format/cursor.h"
#include "format/imported.h"

#include <errno.h>
#include <string.h>

/* Neither the size of an address nor the order of bytes is in the file: the first of the four that
 * makes sense of all of it is taken.  Block counts are passed over. */

struct gmon {
	struct cursor cursor;
	struct imported imported;
	uint64_t low, high; /* of all histograms */
	uint64_t rate;
	uint64_t width; /* of the widest bin, to the nearest byte */
};

/* Histogram RECORD: COUNT bins over START..LIMIT.  Bin i begins at START + i * width, where the
 * width need not be whole: mcount's buffer is rounded up. */
static int take_bins(struct gmon *gmon, uint64_t start, uint64_t limit, uint64_t count)
{
	uint64_t width, rest;
	int ret = 0;

	if (limit <= start || !count || count > cursor_left(&gmon->cursor) / GMON_BIN ||
	    limit - start < count)
		return -EBADMSG;
	width = (limit - start) / count;
	rest = (limit - start) % count;
	if (gmon->width < (limit - start + count / 2) / count)
		gmon->width = (limit - start + count / 2) / count;
	for (uint64_t i = 0; i < count && ret >= 0; i++)
		ret = imported_ticks(&gmon->imported, 0, start + width * i + rest * i / count,
				     cursor_number(&gmon->cursor, GMON_BIN));
	gmon->low = start < gmon->low ? start : gmon->low;
	gmon->high = limit > gmon->high ? limit : gmon->high;
	return ret;
}

static int take_histogram(struct gmon *gmon)
{
	struct cursor *cursor = &gmon->cursor;
	uint64_t start = cursor_word(cursor), limit = cursor_word(cursor);
	uint64_t count = cursor_number(cursor, 4), rate = cursor_number(cursor, 4);
	const uint8_t *dimension = cursor_bytes(cursor, GMON_DIMENSION + 1);

	if (!dimension)
		return -EBADMSG;
	/* As gprof has it, the first record's rate is the file's. */
	if (!gmon->rate && !memcmp(dimension, "seconds", 8))
		gmon->rate = rate;
	return take_bins(gmon, start, limit, count);
}

/* Call arcs: from, to, and a count of COUNT_SIZE bytes. */
static int take_arc(struct gmon *gmon, size_t count_size)
{
	struct cursor *cursor = &gmon->cursor;
	uint64_t caller = cursor_word(cursor), callee = cursor_word(cursor);
	uint64_t count = cursor_number(cursor, count_size);

	return cursor->failed ? -EBADMSG
			      : imported_calls(&gmon->imported, 0, caller, callee, count);
}

static int skip(struct cursor *cursor, uint64_t count, size_t size)
{
	if (count > cursor_left(cursor) / size)
		return -EBADMSG;
	return cursor_bytes(cursor, count * size) ? 0 : -EBADMSG;
}

static int take_record(struct gmon *gmon)
{
	struct cursor *cursor = &gmon->cursor;

	switch (cursor_number(cursor, 1)) {
	case GMON_TIME_HIST:
		return take_histogram(gmon);
	case GMON_CALL_ARC:
		return take_arc(gmon, 4);
	case GMON_BLOCK_COUNT:
		return skip(cursor, cursor_word(cursor), 2 * cursor->word);
	default:
		return -EBADMSG;
	}
}

static int take_gnu(struct gmon *gmon)
{
	struct cursor *cursor = &gmon->cursor;
	int ret = 0;

	(void)cursor_bytes(cursor, 4);
	if (cursor_number(cursor, 4) > GMON_VERSION)
		return -EBADMSG;
	(void)cursor_bytes(cursor, GMON_SPARE);
	if (cursor->failed)
		return -EBADMSG;
	while (cursor_left(cursor) && ret >= 0)
		ret = take_record(gmon);
	return ret;
}

static int take_bsd(struct gmon *gmon, bool is_44)
{
	struct cursor *cursor = &gmon->cursor;
	uint64_t start = cursor_word(cursor), limit = cursor_word(cursor);
	uint64_t size = cursor_number(cursor, 4);
	int ret;

	if (is_44 && cursor_number(cursor, 4) != GMON_BSD44_VERSION)
		return -EBADMSG;
	if (is_44) {
		gmon->rate = cursor_number(cursor, 4);
		(void)cursor_bytes(cursor, GMON_SPARE);
	}
	/* The size is that of the header, too. */
	if (cursor->failed || size <= cursor->at || (size - cursor->at) % GMON_BIN)
		return -EBADMSG;
	ret = take_bins(gmon, start, limit, (size - cursor->at) / GMON_BIN);
	if (ret >= 0 && cursor_left(cursor) % (3 * cursor->word))
		return -EBADMSG;
	while (ret >= 0 && cursor_left(cursor))
		ret = take_arc(gmon, cursor->word);
	return ret;
}

static int take_all(struct gmon *gmon, enum gmon_kind kind)
{
	gmon->low = UINT64_MAX;
	return kind == GMON_GNU ? take_gnu(gmon) : take_bsd(gmon, kind == GMON_BSD44);
}

/* Go through the file as each machine would write it.  Returns 0 with its cells in *RET_GMON's
 * list, -EBADMSG, or -ENOMEM; the list is the caller's in any case. */
static int try_machines(enum gmon_kind kind, const struct format_source *source,
			struct gmon *ret_gmon)
{
	int ret = -EBADMSG;

	for (unsigned machine = 0; machine < 4 && ret == -EBADMSG; machine++) {
		ret = imported_again(&ret_gmon->imported);
		*ret_gmon = (struct gmon){
			.cursor = {.bytes = source->bytes,
				   .size = source->size,
				   .word = machine & 1 ? 4 : 8,
				   .big = machine & 2},
			.imported = ret_gmon->imported,
		};
		ret = ret < 0 ? ret : take_all(ret_gmon, kind);
	}
	return ret;
}

/* The BSDs' headers have no mark that would do, but few files hold together as one. */
static bool holds_together(enum gmon_kind kind, const struct format_source *source)
{
	struct gmon gmon = {0};
	int ret = try_machines(kind, source, &gmon);

	builder_done(&gmon.imported.builder);
	return ret != -EBADMSG;
}

bool gmon_recognises(enum gmon_kind kind, const struct format_source *source)
{
	if (kind == GMON_GNU)
		return source->size >= 4 && !memcmp(source->bytes, "gmon", 4);
	return holds_together(kind, source);
}

static int settle(struct gmon *gmon, enum gmon_kind kind, struct error *reterr)
{
	static const char *const producers[] = {
		[GMON_GNU] = "gmon.out",
		[GMON_BSD44] = "gmon.out of 4.4BSD",
		[GMON_BSD] = "gmon.out of BSD",
	};
	struct profile *profile = gmon->imported.builder.profile;
	uint32_t mapping;
	int ret;

	profile->facts.period_ns = imported_period(gmon->rate);
	profile->facts.cell_size = gmon->width;
	ret = profile_string(profile, producers[kind], &profile->facts.producer);
	if (ret < 0)
		return ret;
	return imported_program(&gmon->imported, gmon->low < gmon->high ? gmon->low : 0, gmon->high,
				&mapping, reterr);
}

int gmon_read(enum gmon_kind kind, const struct format_source *source, struct profile **ret_profile,
	      struct error *reterr)
{
	struct gmon gmon = {0};
	int ret = imported_begin(&gmon.imported, source);

	if (ret >= 0)
		ret = try_machines(kind, source, &gmon);
	if (ret == -EBADMSG)
		(void)error_set(reterr, ret,
				"%s: not a whole gmon.out: take one of a program that has ended",
				source->path);
	if (ret >= 0)
		ret = settle(&gmon, kind, reterr);
	return imported_end(&gmon.imported, ret, ret_profile, reterr);
}
