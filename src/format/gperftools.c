// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/array.h"
#include "format/cursor.h"
#include "format/imported.h"
#include "format/maps_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* gperftools' CPU profile: words of the machine's size and order, then the text of its
 * /proc/self/maps.  "CPU Profiler Binary Data File Format" in gperftools' documentation has it:
 * a head 0, 3, 0, period in microseconds, 0; records ticks, depth, depth addresses; and 0, 1, 0 at
 * the end.  The first address of a stack is where the tick was, the others are those of returns.
 * Where a stack ends is taken for its end, unless it has as many frames as it can. */

#define HEAD_WORDS 5
#define DEPTH_MAX 254 /* of a stack there, above which it is cut */
#define MICROSECOND_NS 1000ull

struct gperftools {
	struct cursor cursor;
	struct maps_text maps;
	struct imported imported;
	bool has_stacks;
	uint64_t *callers; /* of the record that is read */
	size_t caller_count, caller_capacity;
};

static bool head_is(const struct format_source *source, bool wide, bool big,
		    struct cursor *ret_cursor)
{
	struct cursor cursor = {
		.bytes = source->bytes,
		.size = source->size,
		.word = wide ? 8 : 4,
		.big = big,
	};
	uint64_t first = cursor_word(&cursor), rest = cursor_word(&cursor);

	if (first != 0 || rest != HEAD_WORDS - 2 || cursor_word(&cursor) != 0 || cursor.failed)
		return false;
	*ret_cursor = cursor;
	return true;
}

/* Which machine's words they are, the cursor being before the period. */
static bool find_machine(const struct format_source *source, struct cursor *ret_cursor)
{
	return head_is(source, true, false, ret_cursor) ||
	       head_is(source, false, false, ret_cursor) ||
	       head_is(source, true, true, ret_cursor) || head_is(source, false, true, ret_cursor);
}

static bool recognises(const struct format_source *source)
{
	struct cursor cursor;

	return find_machine(source, &cursor);
}

struct record {
	uint64_t ticks, address;
	struct cursor callers; /* COUNT words, innermost first */
	uint64_t count;
};

/* The next record.  Returns 1 for the last, which has no ticks, 0, or -EBADMSG. */
static int next_record(struct cursor *cursor, struct record *ret_record)
{
	uint64_t ticks = cursor_word(cursor), depth = cursor_word(cursor);
	uint64_t address = cursor_word(cursor);

	if (cursor->failed || !depth || depth - 1 > cursor_left(cursor) / cursor->word)
		return -EBADMSG;
	*ret_record = (struct record){ticks, address, *cursor, depth - 1};
	(void)cursor_bytes(cursor, (depth - 1) * cursor->word);
	return !ticks && depth == 1 && !address;
}

/* The maps are behind the records, and are what the records' addresses mean. */
static int take_maps(struct gperftools *in, struct error *reterr)
{
	struct cursor cursor = in->cursor;
	struct record record;
	int ret = 0;

	while (ret == 0) {
		ret = next_record(&cursor, &record);
		in->has_stacks |= ret == 0 && record.count;
	}
	return ret < 0 ? ret
		       : maps_text_read(&in->maps, &in->imported,
					(const char *)cursor.bytes + cursor.at,
					cursor_left(&cursor), reterr);
}

/* The callers of RECORD that are known, as addresses of calls, which are before where they return
 * to.  What lies nowhere is none, and nothing is believed above it. */
static enum stack_end find_callers(struct gperftools *in, struct record *record)
{
	for (in->caller_count = 0; in->caller_count < record->count; in->caller_count++) {
		uint64_t address = cursor_word(&record->callers) - 1;

		if (!maps_text_has(&in->maps, address))
			return STACK_NOT_READABLE;
		in->callers[in->caller_count] = address;
	}
	return record->count + 1 < DEPTH_MAX ? STACK_WHOLE : STACK_TOO_DEEP;
}

/* The callers are contexts, the outermost first. */
static int take_record(struct gperftools *in, struct record *record)
{
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks_add(record->ticks, 0)};
	int ret = 0;

	if (ARRAY_RESERVE(in->callers, in->caller_capacity, record->count))
		return -ENOMEM;
	if (in->has_stacks)
		cell.stack_end = find_callers(in, record);
	while (in->caller_count && ret >= 0) {
		struct profile_context call = {.parent = cell.context};

		ret = maps_text_place(&in->maps, &in->imported, in->callers[--in->caller_count],
				      &call.location);
		if (ret >= 0)
			ret = builder_context(&in->imported.builder, &call, &cell.context);
	}
	if (ret >= 0)
		ret = maps_text_place(&in->maps, &in->imported, record->address, &cell.location);
	return ret < 0 ? ret : builder_cell(&in->imported.builder, &cell);
}

static int take_all(struct gperftools *in, struct error *reterr)
{
	uint64_t period = cursor_word(&in->cursor), sum = 0;
	struct record record;
	int ret;

	if (period > INT64_MAX / MICROSECOND_NS)
		return -EBADMSG;
	in->imported.builder.profile->facts.period_ns = period * MICROSECOND_NS;
	(void)cursor_word(&in->cursor);
	for (ret = take_maps(in, reterr); ret == 0;) {
		ret = next_record(&in->cursor, &record);
		if (ret == 0 && __builtin_add_overflow(sum, record.ticks, &sum))
			return -EBADMSG;
		if (ret == 0 && record.ticks)
			ret = take_record(in, &record);
	}
	return ret < 0 ? ret : 0;
}

static int read_gperftools(const struct format_source *source, struct profile **ret_profile,
			   struct error *reterr)
{
	struct gperftools in = {0};
	int ret = imported_begin(&in.imported, source);

	if (ret >= 0 && !find_machine(source, &in.cursor))
		ret = -EBADMSG;
	if (ret >= 0)
		ret = profile_string(in.imported.builder.profile, "gperftools",
				     &in.imported.builder.profile->facts.producer);
	if (ret >= 0)
		ret = take_all(&in, reterr);
	if (ret == -EBADMSG)
		(void)error_set(reterr, ret,
				"%s: not a whole CPU profile of gperftools: take one of a program "
				"that has ended",
				source->path);
	maps_text_done(&in.maps);
	free(in.callers);
	return imported_end(&in.imported, ret, ret_profile, reterr);
}

const struct format_ops gperftools_format = {
	.name = "gperftools",
	.summary = "gperftools' CPU profile",
	.recognises = recognises,
	.read = read_gperftools,
};
