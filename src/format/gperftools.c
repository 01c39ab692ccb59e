// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "format/cursor.h"
#include "format/imported.h"
#include "format/maps_text.h"

#include <errno.h>
#include <string.h>

/* gperftools' CPU profile: words of the machine's size and order, then the text of its
 * /proc/self/maps.  "CPU Profiler Binary Data File Format" in gperftools' documentation has it:
 * a head 0, 3, 0, period in microseconds, 0; records ticks, depth, depth addresses; and 0, 1, 0 at
 * the end.  The first address of a stack is where the tick was. */

#define HEAD_WORDS 5
#define MICROSECOND_NS 1000ull

struct gperftools {
	struct cursor cursor;
	struct maps_text maps;
	struct imported imported;
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

/* The next record.  Returns 1 for the last, which has no ticks, 0, or -EBADMSG. */
static int next_record(struct cursor *cursor, uint64_t *ret_ticks, uint64_t *ret_address)
{
	uint64_t ticks = cursor_word(cursor), depth = cursor_word(cursor);
	uint64_t address = cursor_word(cursor);

	if (cursor->failed || !depth || depth - 1 > cursor_left(cursor) / cursor->word)
		return -EBADMSG;
	(void)cursor_bytes(cursor, (depth - 1) * cursor->word);
	*ret_ticks = ticks;
	*ret_address = address;
	return !ticks && depth == 1 && !address;
}

/* The maps are behind the records, and are what the records' addresses mean. */
static int take_maps(struct gperftools *in, struct error *reterr)
{
	struct cursor cursor = in->cursor;
	uint64_t ticks, address;
	int ret = 0;

	while (ret == 0)
		ret = next_record(&cursor, &ticks, &address);
	return ret < 0 ? ret
		       : maps_text_read(&in->maps, &in->imported,
					(const char *)cursor.bytes + cursor.at,
					cursor_left(&cursor), reterr);
}

static int take_all(struct gperftools *in, struct error *reterr)
{
	uint64_t period = cursor_word(&in->cursor), sum = 0, ticks, address;
	int ret;

	if (period > INT64_MAX / MICROSECOND_NS)
		return -EBADMSG;
	in->imported.builder.profile->facts.period_ns = period * MICROSECOND_NS;
	(void)cursor_word(&in->cursor);
	for (ret = take_maps(in, reterr); ret == 0;) {
		ret = next_record(&in->cursor, &ticks, &address);
		if (ret == 0 && __builtin_add_overflow(sum, ticks, &sum))
			return -EBADMSG;
		if (ret == 0)
			ret = maps_text_ticks(&in->maps, &in->imported, address, ticks);
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
	return imported_end(&in.imported, ret, ret_profile, reterr);
}

const struct format_ops gperftools_format = {
	.name = "gperftools",
	.summary = "gperftools' CPU profile",
	.recognises = recognises,
	.read = read_gperftools,
};
