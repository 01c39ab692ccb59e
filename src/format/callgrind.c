// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/callgraph.h"
#include "analysis/inclusive.h"
#include "analysis/tree.h"
#include "format/frame.h"
#include "format/output.h"

#include <inttypes.h>
#include <math.h>

/* Callgrind's profile format 1, as callgrind_annotate and KCachegrind read it: one event, Ticks, a
 * cost line a cell, charged to the function of the symbol table; a line that was inlined from
 * another file comes behind that file's name.  The format is in valgrind's manual,
 * "Callgrind Format Specification".  Calls are those of the call stacks, with the samples below
 * them; where there are none, those that a program has counted itself (-pg), with the time that
 * analysis/callgraph.h hands up by them. */

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

/* The lines that say where LOCATION is, called WORDS; *RET_LINE is its function's line. */
static int print_function(struct output *output, const struct profile *profile,
			  const struct profile_location *location, const char *const words[3],
			  uint32_t *ret_line)
{
	struct frame frame;
	int ret = frame_of_function(profile, location, &frame);

	if (ret < 0)
		return ret;
	print_name(output, words[0],
		   profile_text(profile, profile->mappings[location->mapping].path));
	print_name(output, words[1], frame.file);
	print_name(output, words[2], frame.name);
	*ret_line = frame.line;
	frame_done(&frame);
	return 0;
}

static const char *const here[] = {"ob", "fl", "fn"}, *const there[] = {"cob", "cfi", "cfn"};

/* The same of a place in that function: *RET_LINE is the innermost line. */
static int print_place(struct output *output, const struct profile *profile,
		       const struct profile_location *location, uint32_t *ret_line)
{
	const struct profile_function *inlined = profile_inlined_at(profile, location);
	int ret = print_function(output, profile, location, here, ret_line);

	if (ret < 0 || !inlined)
		return ret;
	*ret_line = profile->lines[location->first_line].line;
	if (inlined->file != profile_function_of(profile, location)->file)
		print_name(output, "fi", profile_text(profile, inlined->file));
	return 0;
}

static int print_cell(struct output *output, const struct profile *profile,
		      const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];
	uint32_t line;
	int ret = print_place(output, profile, location, &line);

	if (ret >= 0)
		output_print(output, "0x%" PRIx64 " %" PRIu32 " %" PRIu64 "\n",
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

/* What is called is a function of the symbol table, the call is where the compiler put it. */
static int print_call(struct output *output, const struct profile *profile,
		      const struct inclusive_call *call, uint64_t count)
{
	const struct profile_location *callee = &profile->locations[call->callee];
	const struct profile_location *caller = &profile->locations[call->caller];
	uint32_t line, called_line;
	int ret = print_place(output, profile, caller, &line);

	if (ret >= 0)
		ret = print_function(output, profile, callee, there, &called_line);
	if (ret >= 0)
		output_print(output,
			     "calls=%" PRIu64 " 0x%" PRIx64 " %" PRIu32 "\n0x%" PRIx64 " %" PRIu32
			     " %" PRIu64 "\n",
			     count, address_of(callee), called_line, address_of(caller), line,
			     call->total);
	return ret;
}

static int print_counted(struct output *output, const struct profile *profile)
{
	struct callgraph *graph;
	int ret = callgraph_build(profile, &graph);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < profile->call_count && ret >= 0; i++) {
		const struct profile_call *call = &profile->calls[i];

		if (call->caller == PROFILE_NO_CALLER || !call->count)
			continue;
		ret = print_call(
			output, profile,
			&(struct inclusive_call){call->caller, call->callee, cost_of(graph, call)},
			call->count);
	}
	(void)callgraph_free(graph);
	return ret;
}

/* How often there was a call is not known: it is said to be one for each sample. */
static int print_sampled(struct output *output, const struct profile *profile)
{
	struct tree_functions functions;
	struct inclusive inclusive;
	int ret = tree_functions_make(profile, &functions);

	if (ret < 0)
		return ret;
	ret = inclusive_make(profile, &functions, &inclusive);
	tree_functions_done(&functions);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < inclusive.count && ret >= 0; i++)
		if (inclusive.calls[i].total)
			ret = print_call(output, profile, &inclusive.calls[i],
					 inclusive.calls[i].total);
	inclusive_done(&inclusive);
	return ret;
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
	output_print(output, "\npositions: instr line\nevent: Samples : Samples");
	output_print(output, "\nevents: Samples\nsummary: %" PRIu64 "\n\n", account.total);
}

static int write_callgrind(const struct profile *profile, const char *path, struct error *ret_left,
			   struct error *reterr)
{
	struct output output;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	*ret_left = (struct error){""};
	print_head(&output, profile);
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = print_cell(&output, profile, &profile->cells[i]);
	if (ret >= 0 && tree_has_stacks(profile))
		ret = print_sampled(&output, profile);
	else if (ret >= 0 && profile->call_count)
		ret = print_counted(&output, profile);
	return output_close(&output, ret, reterr);
}

const struct format_ops callgrind_format = {
	.name = "callgrind",
	.summary = "for callgrind_annotate and KCachegrind",
	.write = write_callgrind,
};
