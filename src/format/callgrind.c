// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "format/frame.h"
#include "format/output.h"

#include <inttypes.h>

/* Callgrind's profile format 1, as callgrind_annotate and KCachegrind read it: one event, Ticks, a
 * cost line a cell, charged to the innermost function.  The format is in valgrind's manual,
 * "Callgrind Format Specification".  There are no calls, for a histogram knows of none. */

static void print_name(struct output *output, const char *position, const char *name)
{
	output_print(output, "%s=", position);
	/* "(" at the start would be a compressed name's number. */
	if (*name == '(' || !*name)
		output_print(output, "%s", *name ? "_" : "???");
	output_plain(output, name, "", ' ');
	output_print(output, "\n");
}

static int print_cell(struct output *output, const struct profile *profile,
		      const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];
	uint64_t address = location->kind == LOCATION_ADDRESS ? location->address : 0;
	struct frame frame;
	int r = frame_of(profile, location, 0, &frame);

	if (r < 0)
		return r;
	print_name(output, "ob", profile_text(profile, profile->mappings[location->mapping].path));
	print_name(output, "fl", frame.file);
	print_name(output, "fn", frame.name);
	output_print(output, "0x%" PRIx64 " %" PRIu32 " %" PRIu64 "\n", address, frame.line,
		     cell->ticks);
	frame_done(&frame);
	return 0;
}

static void print_head(struct output *output, const struct profile *profile)
{
	const char *producer = profile_text(profile, profile->facts.producer);
	struct profile_account account;

	profile_account(profile, &account);
	output_print(output, "# callgrind format\nversion: 1\ncreator: ");
	output_plain(output, *producer ? producer : "profil", "", ' ');
	output_print(output, "\ncmd: ");
	output_plain(output, profile_text(profile, profile->facts.command), "", ' ');
	output_print(output, "\npositions: instr line\nevent: Ticks : ticks of the clock");
	output_print(output, "\nevents: Ticks\nsummary: %" PRIu64 "\n\n", account.total);
}

static int write_callgrind(const struct profile *profile, const char *path, struct error *ret_left,
			   struct error *reterr)
{
	struct output output;
	int r = output_open(&output, path, reterr);

	if (r < 0)
		return r;
	*ret_left = (struct error){""};
	print_head(&output, profile);
	for (size_t i = 0; i < profile->cell_count && r >= 0; i++)
		r = print_cell(&output, profile, &profile->cells[i]);
	return output_close(&output, r, reterr);
}

const struct format_ops callgrind_format = {
	.name = "callgrind",
	.summary = "for callgrind_annotate and KCachegrind",
	.write = write_callgrind,
};
