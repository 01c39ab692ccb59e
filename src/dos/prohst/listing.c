/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/listing.h"

#include "dos/prohst/print.h"
#include "dos/prohst/share.h"

#define NONE 0
#define PHANTOM 58
#define TOO_MANY 16000 /* buckets, of which PROHST 1.0 writes an empty listing */

struct listing {
	const struct prohst_files *files;
	struct print print;
	struct prf_header header;
	struct share share;
	int original, has_map;
	struct prohst_modules modules;
	struct prohst_lines lines;
	int in_module;	       /* a module was reached ... */
	unsigned module_start; /* ... which begins at this paragraph */
};

/* Four digits and a 0 for a paragraph's first byte.  PROHST 1.0 multiplies in 16 bits. */
static void print_address(const struct listing *listing, unsigned paragraph, unsigned width)
{
	if (listing->original)
		print_hex(&listing->print, (paragraph << 4) & 0xffff, width);
	else {
		print_hex(&listing->print, paragraph, width - 1);
		print_text(&listing->print, "0");
	}
}

static void print_percent(const struct listing *listing, const struct wide *tenths, unsigned width)
{
	if (listing->original && !share_is_known(&listing->share))
		print_repeated(&listing->print, '.', width);
	else
		print_tenths(&listing->print, tenths, width);
}

static void print_hits(const struct listing *listing, const char *where, unsigned hits)
{
	struct wide tenths;

	share_of_hits(&listing->share, hits, &tenths);
	print_text(&listing->print, where);
	print_decimal(&listing->print, hits, 5);
	print_text(&listing->print, " or ");
	print_percent(listing, &tenths, 4);
	print_line(&listing->print, listing->original ? "%." : "% of all hits.");
}

static void print_places(const struct listing *listing)
{
	const struct print *print = &listing->print;
	const struct prf_header *header = &listing->header;

	print_decimal(print, header->bucket_num, 6);
	print_decimal(print, header->bucket_siz, 4);
	print_line(print, listing->original ? "-byte buckets." : "-paragraph buckets.");
	print_line(print, "");
	print_text(print, "Profile taken between ");
	print_address(listing, header->prog_low_pa, 14);
	print_text(print, " and ");
	print_address(listing, header->prog_high_pa, 14);
	print_line(print, ".");
	print_line(print, "");
	print_text(print, "DOS program address:");
	if (listing->original)
		print_hex(print, header->dos_pa, 14);
	else
		print_address(listing, header->dos_pa, 14);
	print_line(print, "");
	print_line(print, "");
}

static void print_head(const struct listing *listing)
{
	const struct print *print = &listing->print;
	struct wide axis;

	print_line(print, "Microsoft Profiler Output Listing");
	print_line(print, "");
	print_places(listing);
	print_hits(listing, "Number of hits in DOS: ", listing->header.hit_dos);
	print_hits(listing, "Number of hits in I/O: ", listing->header.hit_io);
	print_hits(listing, "Number of hits high  : ", listing->header.hit_high);
	print_line(print, "");
	share_of_axis(&listing->share, &axis);
	print_text(print, " Hits  Addr.  Line/ Cumul.  % 0.0");
	print_repeated(print, ' ', 40);
	print_percent(listing, &axis, 1);
	print_line(print, "");
	print_text(print, "              Offset           +");
	print_repeated(print, '-', 44);
	print_line(print, "");
	print_line(print, "");
}

/* The names of the modules that begin at ADDRESS or before and were not named yet. */
static void print_modules(struct listing *listing, unsigned address)
{
	struct prohst_modules *modules = &listing->modules;

	while (!modules->at_end && address >= modules->address) {
		print_repeated(&listing->print, ' ', 6);
		print_bytes(&listing->print, modules->name, MODULE_NAME);
		print_line(&listing->print, "");
		listing->in_module = 1;
		listing->module_start = modules->address;
		modules_next(modules);
	}
}

/* The offset in the module.  PROHST 1.0 takes it from where the next module begins, and has none
 * in the last one. */
static void print_offset(const struct listing *listing, unsigned address)
{
	const struct print *print = &listing->print;
	unsigned base = listing->module_start;
	int has_base = listing->in_module;

	if (listing->original) {
		base = listing->modules.address;
		has_base = !listing->modules.at_end;
	}
	if (!has_base) {
		print_repeated(print, ' ', 6);
		return;
	}
	print_text(print, " #");
	print_hex(print, (address - base) & 0xffff, 4);
}

static void print_place(struct listing *listing, unsigned address)
{
	unsigned line = NONE;

	if (listing->has_map)
		line = lines_until(&listing->lines, address);
	if (line != NONE)
		print_decimal(&listing->print, line, 6);
	else if (listing->has_map)
		print_offset(listing, address);
	else
		print_repeated(&listing->print, ' ', 6);
}

static void print_row(struct listing *listing, unsigned index, unsigned bucket)
{
	const struct print *print = &listing->print;
	struct wide tenths, cumulated;
	unsigned column, address = (listing->header.bucket_siz * index) & 0xffff;

	if (listing->has_map)
		print_modules(listing, address);
	print_decimal(print, bucket, 5);
	print_text(print, ". ");
	print_address(listing, address, 6);
	print_place(listing, address);
	share_row(&listing->share, bucket, &tenths, &cumulated);
	print_text(print, " ");
	print_percent(listing, &cumulated, 5);
	print_text(print, " ");
	print_percent(listing, &tenths, 4);
	print_text(print, " |");
	column = share_column(&listing->share, bucket);
	if (column) {
		print_repeated(print, ' ', column - 1);
		print_text(print, "*");
	}
	print_line(print, "");
}

/* PROHST 1.0 does not look whether an empty bucket behind one with hits is the last, and goes on
 * through its memory: without a map, and with few buckets, up to a row that is never there.  Where
 * it goes otherwise hangs on what its memory holds, and the last bucket is listed here. */
static unsigned row_of_last(const struct listing *listing, int in_gap)
{
	unsigned last = listing->header.bucket_num - 1;

	return !listing->original || listing->has_map || in_gap || last >= PHANTOM ? last : PHANTOM;
}

/* A run of empty buckets is an empty line; the last bucket has its row though it be empty, so that
 * the listing shows where the program ends. */
static void print_rows(struct listing *listing)
{
	unsigned i, bucket, count = listing->header.bucket_num;
	int in_gap = 0;

	for (i = 0; i < count; i++) {
		if (!prf_word(&listing->files->rows, &bucket))
			bucket = 0; /* it was there when the sums were taken */
		if (!bucket && !in_gap)
			print_line(&listing->print, "");
		if (bucket)
			print_row(listing, i, bucket);
		else if (i + 1 == count)
			print_row(listing, row_of_last(listing, in_gap), bucket);
		in_gap = !bucket;
	}
	print_repeated(&listing->print, ' ', 31);
	print_text(&listing->print, "+");
	print_repeated(&listing->print, '-', 35);
	print_line(&listing->print, "");
}

/* The second reading of the .PRF stands behind its header afterwards. */
static int begin(struct listing *listing)
{
	struct prf_sums sums;
	struct prf_header again;

	if (!prf_sums(&listing->files->sums, &listing->header, &sums) ||
	    !prf_header(&listing->files->rows, &again))
		return -1;
	share_begin(&listing->share, &listing->header, &sums, listing->original);
	return 0;
}

int prohst_list(const struct prohst_files *files, int original, int unix_text)
{
	struct listing listing;

	listing.files = files;
	listing.original = original;
	listing.in_module = 0;
	listing.module_start = 0;
	listing.has_map = files->modules.next != 0;
	print_open(&listing.print, &files->listing, unix_text);
	if (begin(&listing) < 0)
		return -1;
	if (listing.has_map) {
		modules_open(&listing.modules, &files->modules, files->complaint);
		lines_open(&listing.lines, &files->lines, !original, files->complaint);
	}
	if (!original || listing.header.bucket_num < TOO_MANY) {
		print_head(&listing);
		print_rows(&listing);
	}
	print_end(&listing.print);
	return 0;
}
