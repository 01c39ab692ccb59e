// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/callgraph.h"
#include "analysis/inclusive.h"
#include "analysis/tree.h"
#include "format/frame.h"
#include "format/output.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Callgrind's profile format 1, as callgrind_annotate and KCachegrind read it: one event, Ticks, a
 * cost line a cell, charged to the function of the symbol table; a line that was inlined from
 * another file comes behind that file's name.  The format is in valgrind's manual,
 * "Callgrind Format Specification".  Calls are those of the call stacks, with the samples below
 * them; where there are none, those that a program has counted itself (-pg), with the time that
 * analysis/callgraph.h hands up by them. */

struct writing {
	struct output *output;
	const struct profile *profile;
	struct tree_functions functions;
	uint32_t *files; /* of each function, the one that it goes by */
};

static void print_name(struct output *output, const char *position, const char *name)
{
	output_print(output, "%s=", position);
	/* "(" at the start would be a compressed name's number. */
	if (*name == '(' || !*name)
		output_print(output, "%s", *name ? "_" : "???");
	output_plain(output, name, "", ' ');
	output_print(output, "\n");
}

static uint64_t address_of(const struct profile_location *location)
{
	return location->kind == LOCATION_ADDRESS ? location->address : 0;
}

/* A function that #includes parts of itself has lines in several files, and for callgrind_annotate
 * is a function in each.  It goes by the file that its first line here is in. */
static int choose_files(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	size_t count = writing->functions.count;
	uint64_t *lowest = calloc(count, sizeof(*lowest));

	writing->files = calloc(count, sizeof(*writing->files));
	for (size_t i = 0; lowest && writing->files && i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		const struct profile_function *function = profile_function_of(profile, location);
		uint32_t number = writing->functions.of_location[i];

		if (!function || !function->file ||
		    (writing->files[number] && lowest[number] <= location->address))
			continue;
		lowest[number] = location->address;
		writing->files[number] = function->file;
	}
	free(lowest);
	return lowest && writing->files ? 0 : -ENOMEM;
}

static uint32_t file_of(const struct writing *writing, uint32_t location)
{
	return writing->files[writing->functions.of_location[location]];
}

/* The lines that say what function the location INDEX is in, called WORDS; *RET_LINE is that of
 * its line there, 0 where that is in another file. */
static int print_function(const struct writing *writing, uint32_t index, const char *const words[3],
			  uint32_t *ret_line)
{
	const struct profile *profile = writing->profile;
	const struct profile_location *location = &profile->locations[index];
	const struct profile_function *function = profile_function_of(profile, location);
	uint32_t file = file_of(writing, index);
	struct frame frame;
	int ret = frame_of_function(profile, location, &frame);

	if (ret < 0)
		return ret;
	print_name(writing->output, words[0],
		   profile_text(profile, profile->mappings[location->mapping].path));
	print_name(writing->output, words[1], profile_text(profile, file));
	print_name(writing->output, words[2], frame.name);
	*ret_line = function && function->file != file ? 0 : frame.line;
	frame_done(&frame);
	return 0;
}

static const char *const here[] = {"ob", "fl", "fn"}, *const there[] = {"cob", "cfi", "cfn"};

/* The same of a place in that function: *RET_LINE is the innermost line. */
static int print_place(const struct writing *writing, uint32_t index, uint32_t *ret_line)
{
	const struct profile *profile = writing->profile;
	const struct profile_location *location = &profile->locations[index];
	const struct profile_function *inner = profile_inlined_at(profile, location);
	int ret = print_function(writing, index, here, ret_line);

	if (!inner)
		inner = profile_function_of(profile, location);
	if (ret < 0 || !inner)
		return ret;
	*ret_line = profile->lines[location->first_line].line;
	if (inner->file != file_of(writing, index))
		print_name(writing->output, "fi", profile_text(profile, inner->file));
	return 0;
}

static int print_cell(const struct writing *writing, const struct profile_cell *cell)
{
	const struct profile_location *location = &writing->profile->locations[cell->location];
	uint32_t line;
	int ret = print_place(writing, cell->location, &line);

	if (ret >= 0)
		output_print(writing->output, "0x%" PRIx64 " %" PRIu32 " %" PRIu64 "\n",
			     address_of(location), line, cell->ticks);
	return ret;
}

/* What a call costs with all below it.  In a cycle that is nobody's. */
static uint64_t cost_of(const struct callgraph *graph, const struct profile_call *call)
{
	const struct callgraph_node *callee = &graph->nodes[graph->locations[call->callee]];
	const struct callgraph_node *caller = &graph->nodes[graph->locations[call->caller]];
	uint64_t calls = callgraph_calls_into(graph, callee);

	if (caller == callee || !calls ||
	    (callee->cycle != CALLGRAPH_NONE && caller->cycle == callee->cycle))
		return 0;
	return (uint64_t)llround(callgraph_total(graph, callee) * (double)call->count /
				 (double)calls);
}

/* Where a stack begins, a name stands for the caller. */
static int print_caller(const struct writing *writing, uint32_t caller, uint64_t *ret_address,
			uint32_t *ret_line)
{
	*ret_line = 0;
	*ret_address = 0;
	if (caller == INCLUSIVE_CUT || caller == INCLUSIVE_ROOT) {
		output_print(writing->output, "ob=???\nfl=???\nfn=%s\n",
			     caller == INCLUSIVE_CUT ? "[truncated]" : "[root]");
		return 0;
	}
	*ret_address = address_of(&writing->profile->locations[caller]);
	return print_function(writing, caller, here, ret_line);
}

/* Both are functions of the symbol table.  What was inlined from another file calls at the line of
 * the function that it is in, for callgrind_annotate takes a function in another file for another
 * one, and hands the call's cost to that. */
static int print_call(const struct writing *writing, const struct inclusive_call *call,
		      uint64_t count)
{
	uint64_t address;
	uint32_t line, called_line;
	int ret = print_caller(writing, call->caller, &address, &line);

	if (ret >= 0)
		ret = print_function(writing, call->callee, there, &called_line);
	if (ret >= 0)
		output_print(writing->output,
			     "calls=%" PRIu64 " 0x%" PRIx64 " %" PRIu32 "\n0x%" PRIx64 " %" PRIu32
			     " %" PRIu64 "\n",
			     count, address_of(&writing->profile->locations[call->callee]),
			     called_line, address, line, call->total);
	return ret;
}

static int print_counted(const struct writing *writing)
{
	const struct profile *profile = writing->profile;
	struct callgraph *graph;
	int ret = callgraph_build(profile, &graph);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < profile->call_count && ret >= 0; i++) {
		const struct profile_call *call = &profile->calls[i];

		if (call->caller == PROFILE_NO_CALLER || !call->count)
			continue;
		ret = print_call(
			writing,
			&(struct inclusive_call){call->caller, call->callee, cost_of(graph, call)},
			call->count);
	}
	(void)callgraph_free(graph);
	return ret;
}

/* How often there was a call is not known: it is said to be one for each sample. */
static int print_sampled(const struct writing *writing)
{
	struct inclusive inclusive;
	int ret = inclusive_make(writing->profile, &writing->functions, &inclusive);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < inclusive.count && ret >= 0; i++)
		if (inclusive.calls[i].total)
			ret = print_call(writing, &inclusive.calls[i], inclusive.calls[i].total);
	inclusive_done(&inclusive);
	return ret;
}

static int print_all(const struct writing *writing)
{
	const struct profile *profile = writing->profile;
	int ret = 0;

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = print_cell(writing, &profile->cells[i]);
	if (ret >= 0 && tree_has_stacks(profile))
		ret = print_sampled(writing);
	else if (ret >= 0 && profile->call_count)
		ret = print_counted(writing);
	return ret;
}

static void print_head(struct output *output, const struct profile *profile)
{
	const char *producer = profile_text(profile, profile->facts.producer);
	const char *event = "Samples", *meaning = "Samples";
	struct profile_account account;

	if (profile->value) {
		event = histogram_value_type(profile->value - 1);
		meaning = histogram_value_unit(profile->value - 1);
	}
	profile_account(profile, &account);
	output_print(output, "# callgrind format\nversion: 1\ncreator: ");
	output_plain(output, *producer ? producer : "profil", "", ' ');
	output_print(output, "\ncmd: ");
	output_plain(output, profile_text(profile, profile->facts.command), "", ' ');
	output_print(output, "\npositions: instr line\nevent: %s : %s", event, meaning);
	output_print(output, "\nevents: %s\nsummary: %" PRIu64 "\n\n", event, account.total);
}

static int write_callgrind(const struct profile *profile, const char *path, struct error *ret_left,
			   struct error *reterr)
{
	struct output output;
	struct writing writing = {.output = &output, .profile = profile};
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	*ret_left = (struct error){""};
	print_head(&output, profile);
	ret = tree_functions_make(profile, &writing.functions);
	if (ret >= 0)
		ret = choose_files(&writing);
	if (ret >= 0)
		ret = print_all(&writing);
	tree_functions_done(&writing.functions);
	free(writing.files);
	return output_close(&output, ret, reterr);
}

const struct format_ops callgrind_format = {
	.name = "callgrind",
	.summary = "for callgrind_annotate and KCachegrind",
	.calls_inlined = true,
	.write = write_callgrind,
};
