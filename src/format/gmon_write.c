// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon.h"

#include "analysis/names.h"
#include "format/gmon_cells.h"
#include "format/output.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* gprof's finest bin is of two bytes, so that all bins are.  GNU's file has a histogram for each
 * stretch of text that was hit; gprof adds equal ranges, so that a cell of more than 65,535 ticks
 * has a range of its own, as often as it takes.  A BSD's file has one range, and counts to 65,535.
 */

#define GAP_MAX 4096 /* between cells of one histogram: cheaper than another one's head */
#define BSD_SPAN_MAX (1u << 30) /* bytes of text: the size of a BSD's file is 31 bits */
#define SECOND_NS 1000000000ull

struct gmon_out {
	struct output output;
	enum gmon_kind kind;
	size_t word; /* as in the object's file */
	bool big;
	uint32_t rate;
	uint64_t cut; /* ticks beyond what a bin counts to */
};

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
			out->cut += ticks - GMON_BIN_MAX;
			ticks = GMON_BIN_MAX;
		}
		put_number(out, ticks, GMON_BIN);
		start = cells[i].address + GMON_BIN;
	}
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

static void put_gnu(struct gmon_out *out, const struct gmon_cell *cells, size_t count)
{
	size_t here;

	output_bytes(&out->output, "gmon", 4);
	put_number(out, GMON_VERSION, 4);
	put_zeros(out, GMON_SPARE);
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

static void put_bsd(struct gmon_out *out, const struct gmon_cell *cells, size_t count)
{
	bool is_44 = out->kind == GMON_BSD44;
	uint64_t start = cells[0].address, limit = cells[count - 1].address + GMON_BIN;
	uint64_t head = 2 * out->word + 4 + (is_44 ? 8 + GMON_SPARE : 0);

	put_number(out, start, out->word);
	put_number(out, limit, out->word);
	put_number(out, head + limit - start, 4);
	if (is_44) {
		put_number(out, GMON_BSD44_VERSION, 4);
		put_number(out, out->rate, 4);
		put_zeros(out, GMON_SPARE);
	}
	put_bins(out, cells, count, start);
}

/* The words of the object's file, where it is there; else those of this machine. */
static void take_machine(struct gmon_out *out, const char *path)
{
	unsigned char ident[EI_NIDENT] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is_elf = fd >= 0 && read(fd, ident, sizeof(ident)) == sizeof(ident) &&
		      !memcmp(ident, ELFMAG, SELFMAG);

	if (fd >= 0)
		(void)close(fd);
	out->word = is_elf && ident[EI_CLASS] == ELFCLASS32 ? 4 : 8;
	out->big = is_elf && ident[EI_DATA] == ELFDATA2MSB;
}

static int check_span(const struct gmon_out *out, const char *object, const struct gmon_cell *cells,
		      size_t count, struct error *reterr)
{
	uint64_t last = cells[count - 1].address;

	if (out->word == 4 && last > UINT32_MAX - GMON_BIN)
		return error_set(reterr, -ENOTSUP, "%s: has ticks beyond its 32 bits: leave it out",
				 object);
	if (out->kind != GMON_GNU && last - cells[0].address > BSD_SPAN_MAX)
		return error_set(reterr, -ENOTSUP,
				 "%s: its text is too large for a gmon.out of BSD: take --to gmon",
				 object);
	return 0;
}

/* Cells of one object go to PATH. */
static int write_object(struct gmon_out *out, const struct profile *profile, const char *path,
			const struct gmon_cell *cells, size_t count, struct error *reterr)
{
	const char *object = profile_text(profile, profile->mappings[cells[0].object].path);
	int r;

	take_machine(out, object);
	r = check_span(out, object, cells, count, reterr);
	if (r >= 0)
		r = output_open(&out->output, path, reterr);
	if (r < 0)
		return r;
	if (out->kind == GMON_GNU)
		put_gnu(out, cells, count);
	else
		put_bsd(out, cells, count);
	return output_close(&out->output, 0, reterr);
}

/* PATH.NAME, and a number where another object before has the name. */
static char *path_of(const struct profile *profile, const struct gmon_cells *cells, size_t first,
		     const char *path)
{
	const char *name = names_object(profile, cells->items[first].object);
	unsigned same = 0;
	char *text;

	for (size_t i = 0; i < first; i += gmon_cells_of_object(cells, i))
		same += !strcmp(names_object(profile, cells->items[i].object), name);
	if (same)
		return asprintf(&text, "%s.%s.%u", path, name, same + 1) < 0 ? NULL : text;
	return asprintf(&text, "%s.%s", path, name) < 0 ? NULL : text;
}

static int write_objects(struct gmon_out *out, const struct profile *profile,
			 const struct gmon_cells *cells, const char *path, struct error *reterr)
{
	size_t shown = gmon_cells_main(cells, profile), count;
	int r = 0;

	for (size_t first = 0; first < cells->count && r >= 0; first += count) {
		char *beside = first == shown ? strdup(path) : path_of(profile, cells, first, path);

		count = gmon_cells_of_object(cells, first);
		if (!beside)
			return error_set(reterr, -ENOMEM, "%s: %s: free some memory", path,
					 strerror(ENOMEM));
		r = write_object(out, profile, beside, cells->items + first, count, reterr);
		free(beside);
	}
	return r;
}

static void tell_left(const struct gmon_out *out, const struct profile *profile,
		      const struct gmon_cells *cells, struct error *ret_left)
{
	struct profile_account account;
	char outside[160] = "", cut[160] = "", moved[160] = "";

	profile_account(profile, &account);
	if (account.total > cells->ticks)
		(void)snprintf(outside, sizeof(outside),
			       "; %" PRIu64 " are of no file's text and left out",
			       account.total - cells->ticks);
	if (out->cut)
		(void)snprintf(cut, sizeof(cut),
			       "; %" PRIu64 " beyond a bin's 65,535 are left out: take --to gmon",
			       out->cut);
	if (cells->moved)
		(void)snprintf(moved, sizeof(moved),
			       "; %" PRIu64 " at odd addresses are a byte lower", cells->moved);
	*ret_left = (struct error){""};
	if (*outside || *cut || *moved)
		(void)error_set(ret_left, 0, "of %" PRIu64 " ticks%s%s%s", account.total,
				outside + (*outside != 0), cut + (!*outside && *cut),
				moved + (!*outside && !*cut && *moved));
}

int gmon_write(enum gmon_kind kind, const struct profile *profile, const char *path,
	       struct error *ret_left, struct error *reterr)
{
	uint64_t period = profile->facts.period_ns;
	struct gmon_out out = {.kind = kind, .rate = 1};
	struct gmon_cells cells;
	int r = gmon_cells_of(profile, &cells);

	if (r < 0)
		return error_set(reterr, r, "%s: %s: free some memory", path, strerror(-r));
	/* Where the period is not known, gprof's seconds are ticks. */
	if (period && period < SECOND_NS)
		out.rate = (uint32_t)((SECOND_NS + period / 2) / period);
	if (cells.count)
		r = write_objects(&out, profile, &cells, path, reterr);
	else
		r = error_set(reterr, -ENOTSUP,
			      "%s: not a tick is in a program or library: nothing to write", path);
	if (r >= 0)
		tell_left(&out, profile, &cells, ret_left);
	free(cells.items);
	return r;
}
