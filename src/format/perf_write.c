// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_script.h"

#include "analysis/names.h"
#include "analysis/tree.h"
#include "format/frame.h"
#include "format/output.h"
#include "format/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A text of samples has a sample for each tick, so that whoever counts them counts ticks.  Their
 * times are in steps of the period, from 0: a histogram does not know when a tick was. */

#define SECOND_NS UINT64_C(1000000000)
#define COMM_MAX 15
#define SAMPLES_MAX 100000000 /* some 10 GB of text */

struct perf_out {
	struct output output;
	const struct profile *profile;
	const char *event;
	uint64_t number; /* samples so far */
	bool has_stacks;
	struct stack stack;
};

/* Whoever reads it takes the last "+0x1f" for an offset: a name that ends like that has one more.
 */
static void print_symbol(struct output *out, const char *name)
{
	const char *plus = strrchr(name, '+');

	output_plain(out, name, "", ' ');
	if (plus && !strncmp(plus, "+0x", 3) && !plus[3 + strspn(plus + 3, "0123456789abcdef")])
		output_print(out, "+0x0");
}

/* The frames of one place, innermost first.  As perf has it, a call is where it returns to. */
static int print_place(const struct perf_out *out, struct stack_frame place, FILE *text)
{
	const struct profile *profile = out->profile;
	const struct profile_location *location = &profile->locations[place.location];
	bool lost = location->kind == LOCATION_UNRESOLVED;
	uint64_t address = lost ? 0 : location->address + place.is_call;
	const char *object = profile_text(profile, profile->mappings[location->mapping].path);
	size_t count = frame_count(location);
	struct output frames = {.file = text};
	struct frame frame;

	for (size_t i = 0; i < count; i++) {
		int ret = frame_of(profile, location, i, &frame);

		if (ret < 0)
			return ret;
		output_print(&frames, "\t%16" PRIx64 " ", address);
		print_symbol(&frames, location->line_count && !lost ? frame.name : "[unknown]");
		output_print(&frames, " (");
		output_plain(&frames,
			     i + 1 < count ? "inlined"
			     : lost	   ? "[unknown]"
					   : object,
			     "", ' ');
		output_print(&frames, ")\n");
		frame_done(&frame);
	}
	return 0;
}

/* What stands behind the head: the stack, innermost first. */
static int make_frames(struct perf_out *out, const struct profile_cell *cell, FILE *text)
{
	struct output end = {.file = text};
	int ret = stack_fill(&out->stack, out->profile, cell);

	for (size_t i = out->stack.count; i-- && ret >= 0;)
		ret = print_place(out, out->stack.frames[i], text);
	if (out->has_stacks && tree_is_cut(out->profile, cell))
		output_print(&end, "\t%16x %s ([unknown])\n", 0, stack_cut_name(cell).text);
	output_print(&end, "\n");
	return ret;
}

/* A process's name as the kernel would have it. */
static void print_comm(struct perf_out *out, const struct profile_cell *cell)
{
	const struct profile *profile = out->profile;
	const char *name = profile->mapping_count ? names_object(profile, 0) : "profil";
	uint32_t pid = 0, tid = 0;
	char comm[COMM_MAX + 1];

	if (cell->task != PROFILE_NO_TASK) {
		const struct profile_task *task = &profile->tasks[cell->task];

		name = profile_text(profile, task->name);
		pid = task->pid;
		tid = task->tid ? task->tid : pid;
	}
	(void)snprintf(comm, sizeof(comm), "%s", *name ? name : "profil");
	output_plain(&out->output, comm, "\t", ' ');
	output_print(&out->output, " %" PRIu32 "/%" PRIu32, pid, tid);
}

static void print_samples(struct perf_out *out, const struct profile_cell *cell, const char *frames)
{
	uint64_t period = facts_period(&out->profile->facts);

	if (!period)
		period = 1;

	for (uint64_t i = 0; i < cell->ticks; i++) {
		uint64_t time = period * out->number++;

		print_comm(out, cell);
		output_print(&out->output, " [000] %" PRIu64 ".%06" PRIu64 ": %10" PRIu64 " %s:\n",
			     time / SECOND_NS, time % SECOND_NS / 1000, period, out->event);
		output_bytes(&out->output, frames, strlen(frames));
	}
}

static int print_cell(struct perf_out *out, const struct profile_cell *cell)
{
	char *frames = NULL;
	size_t size;
	FILE *text = open_memstream(&frames, &size);
	int ret;

	if (!text)
		return -ENOMEM;
	ret = make_frames(out, cell, text);
	if (fclose(text) || !frames)
		ret = -ENOMEM;
	if (ret >= 0)
		print_samples(out, cell, frames);
	free(frames);
	return ret;
}

int perf_write(const struct profile *profile, const char *path, struct error *ret_left,
	       struct error *reterr)
{
	const char *event = profile_text(profile, profile->facts.event);
	struct perf_out out = {
		.profile = profile,
		.event = *event ? event : "cpu-clock",
		.has_stacks = tree_has_stacks(profile),
	};
	struct profile_account account;
	int ret;

	profile_account(profile, &account);
	if (account.total > SAMPLES_MAX)
		return error_set(reterr, -ENOTSUP,
				 "perf-script: %" PRIu64
				 " samples are too many for a line each, above "
				 "100,000,000: take another format",
				 account.total);
	ret = output_open(&out.output, profile, path, reterr);
	if (ret < 0)
		return ret;
	*ret_left = (struct error){""};
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = print_cell(&out, &profile->cells[i]);
	stack_done(&out.stack);
	return output_close(&out.output, ret, reterr);
}

const struct format_ops perf_script_format = {
	.name = "perf-script",
	.summary = "the text that perf script prints",
	.recognises = perf_recognises,
	.read = perf_read,
	.write = perf_write,
};
