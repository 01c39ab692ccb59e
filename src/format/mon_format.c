// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon.h"

#include "format/cursor.h"
#include "format/imported.h"

#include <errno.h>

/* mon.out, as the seventh edition's monitor(3) leaves it and prof(1) reads it: the buffer as it was
 * in memory.  A header (where the text begins and ends, how many counters of calls there are), the
 * counters (a function, its calls), and to the end the histogram, in cells of 16 bits.  Nothing
 * says of which machine it is, nor how often its clock ticked. */

/* The PDP-11's words, whose long has its upper half first; then those of 32 and 64 bits. */
static const struct machine {
	size_t word, head; /* the header's bytes, padding with them */
	bool big;
} machines[] = {
	{8, 24, false}, {8, 24, true}, {4, 12, false}, {4, 12, true}, {2, 6, false},
};

/* The coarsest scale there is has one cell for so many bytes. */
#define CELL_MAX 65536

struct mon {
	struct cursor cursor;
	struct imported imported;
	uint64_t low, high;
};

static uint64_t read_count(struct cursor *cursor)
{
	uint64_t upper;

	if (cursor->word != 2)
		return cursor_word(cursor);
	upper = cursor_number(cursor, 2);
	return upper << 16 | cursor_number(cursor, 2);
}

/* monitor(3) takes counters one after the other, so that behind the first free one all are. */
static int take_counters(struct mon *mon, uint64_t count)
{
	bool was_free = false;
	int ret = 0;

	for (uint64_t i = 0; i < count && ret >= 0; i++) {
		uint64_t function = cursor_word(&mon->cursor), calls = read_count(&mon->cursor);
		bool is_free = !function && !calls;

		if (mon->cursor.failed || (!is_free && was_free) ||
		    (!is_free && (function < mon->low || function >= mon->high)))
			return -EBADMSG;
		was_free = is_free;
		ret = imported_calls(&mon->imported, 0, /* caller= */ 0, function, calls);
	}
	return ret;
}

/* A buffer of as many bytes as there are of text, or more, has a cell for two bytes of it, and
 * nothing in those behind its end; a smaller one is spread over all. */
static int take_cells(struct mon *mon)
{
	uint64_t count = cursor_left(&mon->cursor) / GMON_BIN, text = mon->high - mon->low;
	bool fine = count >= text / GMON_BIN;
	int ret = 0;

	if (cursor_left(&mon->cursor) % GMON_BIN || !count || text / CELL_MAX > count)
		return -EBADMSG;
	for (uint64_t i = 0; i < count && ret >= 0; i++) {
		uint64_t ticks = cursor_number(&mon->cursor, GMON_BIN);
		uint64_t offset = fine ? i * GMON_BIN : text / count * i + text % count * i / count;

		if (ticks && offset >= text)
			return -EBADMSG;
		ret = imported_ticks(&mon->imported, 0, mon->low + offset, ticks);
	}
	return ret;
}

static int take_all(struct mon *mon, const struct machine *machine)
{
	struct cursor *cursor = &mon->cursor;
	size_t number = machine->word == 2 ? 2 : 4, counter = machine->word * 2;
	uint64_t count, padding;
	int ret;

	mon->low = cursor_word(cursor);
	mon->high = cursor_word(cursor);
	count = cursor_number(cursor, number);
	padding = cursor_number(cursor, machine->head - 2 * machine->word - number);
	if (machine->word == 2)
		counter = 6;
	if (cursor->failed || mon->high <= mon->low || padding ||
	    count > cursor_left(cursor) / counter)
		return -EBADMSG;
	ret = take_counters(mon, count);
	/* Six bytes are in any file, and half of a large word is 0: then calls must show that it is
	 * one. */
	if (ret >= 0 && (machine->word == 2 || !mon->low) &&
	    !mon->imported.builder.profile->call_count)
		return -EBADMSG;
	return ret < 0 ? ret : take_cells(mon);
}

/* Go through the file as each machine would write it.  Returns 0 with its contents in *RET_MON's
 * list, -EBADMSG, or -ENOMEM; the list is the caller's in any case. */
static int try_machines(const struct format_source *source, struct mon *ret_mon)
{
	int ret = -EBADMSG;

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines) && ret == -EBADMSG; i++) {
		ret = imported_again(&ret_mon->imported);
		*ret_mon = (struct mon){
			.cursor = {.bytes = source->bytes,
				   .size = source->size,
				   .word = machines[i].word,
				   .big = machines[i].big},
			.imported = ret_mon->imported,
		};
		ret = ret < 0 ? ret : take_all(ret_mon, &machines[i]);
	}
	return ret;
}

/* It has no mark, but few files hold together as one. */
static bool recognises(const struct format_source *source)
{
	struct mon mon = {0};
	int ret = try_machines(source, &mon);

	builder_done(&mon.imported.builder);
	return ret != -EBADMSG;
}

static int read_mon(const struct format_source *source, struct profile **ret_profile,
		    struct error *reterr)
{
	struct mon mon = {0};
	uint32_t mapping;
	int ret = imported_begin(&mon.imported, source);

	if (ret >= 0)
		ret = try_machines(source, &mon);
	if (ret == -EBADMSG)
		(void)error_set(reterr, ret,
				"%s: not a whole mon.out: take one of a program that has ended",
				source->path);
	if (ret >= 0)
		ret = profile_string(mon.imported.builder.profile, "mon.out",
				     &mon.imported.builder.profile->facts.producer);
	if (ret >= 0)
		ret = imported_program(&mon.imported, mon.low, mon.high, &mapping, reterr);
	return imported_end(&mon.imported, ret, ret_profile, reterr);
}

static int write_mon(const struct profile *profile, const char *path, struct error *ret_left,
		     struct error *reterr)
{
	return gmon_write(GMON_MON, profile, path, ret_left, reterr);
}

const struct format_ops mon_format = {
	.name = "mon",
	.summary = "mon.out of monitor(3), for prof(1)",
	.usual = "mon.out",
	.recognises = recognises,
	.read = read_mon,
	.write = write_mon,
};
