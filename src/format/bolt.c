// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "format/one_file.h"
#include "format/output.h"
#include "symbol/linked.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The profile of llvm-bolt ("-data"), of samples without branches, as its perf2bolt -nl writes it
 * and LLVM's bolt/lib/Profile/DataReader.cpp reads it:
 *
 *   no_lbr cpu-clock cycles   the event
 *   1 main 1c 160             function, offset in hexadecimal, samples
 *   1 leaf/work.c/1 0 7       a local function: its file, and which one of that name there
 *
 * Names are made as its RewriteInstance.cpp does; it looks for no others. */

/* BOLT makes samples of a block executions of it: it divides them by the block's instructions, but
 * only where the event is called cycles or instructions.  A clock counts time as cycles do. */
static void print_event(struct output *output, const char *event)
{
	bool is_clock = strstr(event, "clock");

	output_print(output, "no_lbr");
	if (*event)
		output_print(output, " ");
	output_plain(output, event, " \\", '_');
	output_print(output, "%s\n", is_clock ? " cycles" : "");
}

/* A blank would end the name. */
static void print_text(struct output *output, const char *text)
{
	for (; *text; text++)
		output_print(output, *text == ' ' || *text == '\\' ? "\\%c" : "%c", *text);
}

static bool is_line(const char *text)
{
	return text && !strpbrk(text, "\r\n");
}

static void print_name(struct output *output, const struct linked_function *function)
{
	print_text(output, function->name);
	if (function->file) {
		output_print(output, "/");
		print_text(output, function->file);
	}
	if (function->number)
		output_print(output, "/%" PRIu32, function->number);
}

/* Returns how many samples are in no function that has a name for BOLT. */
static uint64_t print_cells(struct output *output, const struct one_file *file,
			    const struct linked *linked)
{
	uint64_t placeless = 0;

	for (size_t i = 0; i < file->count; i++) {
		const struct object_cell *cell = &file->cells[i];
		const struct linked_function *function = NULL;
		uint64_t address;

		if (module_address(&file->module, cell->address, &address))
			function = linked_find(linked, address);
		if (!function || !is_line(function->name) ||
		    (function->file && !is_line(function->file))) {
			placeless = ticks_add(placeless, cell->ticks);
			continue;
		}
		output_print(output, "1 ");
		print_name(output, function);
		output_print(output, " %" PRIx64 " %" PRIu64 "\n", address - function->start,
			     cell->ticks);
	}
	return placeless;
}

static int open_linked(const char *path, struct linked *ret_linked, struct error *reterr)
{
	int ret = linked_open(path, ret_linked);

	if (ret < 0)
		return error_set(reterr, ret == -ENOMEM ? ret : -ENOTSUP,
				 "%s: %s: BOLT knows functions by its symbols", path,
				 strerror(-ret));
	if (ret_linked->count)
		return 0;
	linked_close(ret_linked);
	return error_set(
		reterr, -ENOTSUP,
		"%s: it has no symbols, by which BOLT knows functions: keep them (no -s, no strip)",
		path);
}

static int write_file(const struct profile *profile, const struct one_file *file,
		      const struct linked *linked, const char *path, struct error *ret_left,
		      struct error *reterr)
{
	struct output output;
	uint64_t placeless;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	print_event(&output, profile_text(profile, profile->facts.event));
	placeless = print_cells(&output, file, linked);
	one_file_tell(file, profile, placeless, "are in no function of its symbols", ret_left);
	return output_close(&output, 0, reterr);
}

static int write_bolt(const struct profile *profile, const char *path, struct error *ret_left,
		      struct error *reterr)
{
	struct one_file file;
	struct linked linked;
	int ret = one_file_open(profile, &file, reterr);

	if (ret < 0)
		return ret;
	ret = open_linked(file.path, &linked, reterr);
	if (ret >= 0) {
		ret = write_file(profile, &file, &linked, path, ret_left, reterr);
		linked_close(&linked);
	}
	one_file_close(&file);
	return ret;
}

const struct format_ops bolt_format = {
	.name = "bolt",
	.summary = "for llvm-bolt's -data",
	.write = write_bolt,
};
