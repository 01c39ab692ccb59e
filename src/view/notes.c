// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/generated.h"
#include "analysis/names.h"
#include "view/layout.h"
#include "view/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What a reader must know before he trusts the rows: a line each, and only where it applies. */

/* What is less stands as 0.000 s. */
#define REMAINDER_SAID_NS 1000000

/* So many files that have a note in common are named. */
#define LISTED_MAX 3

/* Samples of one mapping. */
struct load {
	uint64_t ticks, overflow;
};

static void open_note(const struct section *section)
{
	if (section->style->color)
		(void)fputs(INK_WARN, section->out);
}

static void close_note(const struct section *section)
{
	(void)fprintf(section->out, "%s\n", section->style->color ? INK_END : "");
}

__attribute__((format(printf, 2, 3))) static void print_note(const struct section *section,
							     const char *format, ...)
{
	va_list arguments;

	open_note(section);
	va_start(arguments, format);
	(void)vfprintf(section->out, format, arguments);
	va_end(arguments);
	close_note(section);
}

static struct load *measure_loads(const struct profile *profile)
{
	struct load *loads = calloc(profile->mapping_count + 1, sizeof(*loads));

	for (size_t i = 0; loads && i < profile->cell_count; i++) {
		const struct profile_location *location =
			&profile->locations[profile->cells[i].location];
		struct load *load = &loads[location->mapping];

		load->ticks = ticks_add(load->ticks, profile->cells[i].ticks);
		if (location->kind == LOCATION_OVERFLOW)
			load->overflow += profile->cells[i].ticks;
	}
	return loads;
}

static void print_overflow(const struct section *section, uint32_t mapping, uint64_t ticks)
{
	uint64_t limit = section->profile->facts.cell_limit;

	open_note(section);
	(void)fprintf(section->out, "%s in ", text_many(ticks, "sample").text);
	text_print(section->out, names_object(section->profile, mapping));
	(void)fprintf(section->out,
		      ": cell table full (--cells %" PRIu64 "): address not kept: measure again "
		      "with --cells %" PRIu64,
		      limit, 4 * limit);
	close_note(section);
}

/* Whether mapping A has samples, and the note of B. */
static bool says_same(const struct profile *profile, const struct load *loads, uint32_t a,
		      uint32_t b)
{
	return loads[a].ticks && profile->mappings[a].note == profile->mappings[b].note;
}

/* What several files have in common is said once. */
static bool was_noted(const struct profile *profile, const struct load *loads, uint32_t mapping)
{
	for (uint32_t i = 0; i < mapping; i++)
		if (says_same(profile, loads, i, mapping))
			return true;
	return false;
}

/* A file has a mapping for each text segment. */
static bool was_listed(const struct profile *profile, const struct load *loads, uint32_t mapping)
{
	for (uint32_t i = 0; i < mapping; i++)
		if (says_same(profile, loads, i, mapping) &&
		    profile->mappings[i].path == profile->mappings[mapping].path)
			return true;
	return false;
}

/* "libc.so.6, libm.so.6, ld.so and 2 more" */
static void print_objects(const struct section *section, const struct load *loads, uint32_t first)
{
	const struct profile *profile = section->profile;
	uint64_t count = 0;

	for (uint32_t i = first; i < profile->mapping_count; i++) {
		if (!says_same(profile, loads, i, first) || was_listed(profile, loads, i))
			continue;
		if (count++ >= LISTED_MAX)
			continue;
		(void)fputs(count > 1 ? ", " : "", section->out);
		text_print(section->out, names_object(profile, i));
	}
	if (count > LISTED_MAX)
		(void)fprintf(section->out, " and %s more", text_count(count - LISTED_MAX).text);
}

static void print_mapping(const struct section *section, const struct load *loads, uint32_t mapping)
{
	const struct profile *profile = section->profile;

	open_note(section);
	print_objects(section, loads, mapping);
	(void)fputs(": ", section->out);
	text_print(section->out, profile_text(profile, profile->mappings[mapping].note));
	close_note(section);
}

static int print_mappings(const struct section *section)
{
	const struct profile *profile = section->profile;
	struct load *loads = measure_loads(profile);

	if (!loads)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		if (loads[i].overflow)
			print_overflow(section, i, loads[i].overflow);
		if (loads[i].ticks && profile->mappings[i].note && !was_noted(profile, loads, i))
			print_mapping(section, loads, i);
	}
	free(loads);
	return 0;
}

static void print_unresolved(const struct section *section)
{
	for (int i = 0; i < UNRESOLVED_REASONS; i++) {
		uint64_t ticks = section->account.unresolved[i];

		if (!ticks)
			continue;
		print_note(section, "%s unresolved: %s", text_many(ticks, "sample").text,
			   unresolved_reason_text((enum unresolved_reason)i));
	}
}

/* What a clock that is each thread's own does not see. */
static void print_remainder(const struct section *section, const char *engine)
{
	double seconds = (double)section->profile->facts.remainder_ns / 1e9;

	if (!strcmp(engine, "timer"))
		print_note(section,
			   "%.3f s of CPU were not seen: after the last samples of their "
			   "threads, or in programs that timers cannot enter (static, "
			   "32-bit, set-user-ID): take --engine kernel",
			   seconds);
	else if (!strcmp(engine, "perf"))
		print_note(section,
			   "%.3f s of CPU were not seen: after the last samples of their "
			   "threads, where the kernel begins and ends a process%s: take "
			   "--engine kernel",
			   seconds,
			   section->profile->facts.not_followed ? ", or in tasks not followed"
								: "");
	else
		print_note(section,
			   "%.3f s of CPU lie after the last samples of their threads: a "
			   "per-thread clock cannot see them: take %s",
			   seconds,
			   strcmp(engine, "kernel") ? "--engine kernel" : "--clock machine");
}

static void print_sight(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;
	const char *engine = profile_text(section->profile, facts->engine);

	if (!strcmp(engine, "timer") && facts->samples)
		print_note(section,
			   "timers see no kernel: what it did stands where the program called it; "
			   "above the kernel's own tick rate the intervals are too narrow");
	if (!strcmp(engine, "timer") && facts->wall[WALL_THREADS])
		print_note(section, "of threads that ended, their last 100 ms at most are in no "
				    "part but as CPU time: take --engine kernel");
	if (facts->unknown_python) {
		open_note(section);
		text_print(section->out, profile_text(section->profile, facts->unknown_python));
		(void)fputs(": its functions are not known: its interpreter stands for them",
			    section->out);
		close_note(section);
	}
	if (facts->remainder_ns >= REMAINDER_SAID_NS)
		print_remainder(section, engine);
}

static void print_facts(const struct section *section)
{
	const struct profile_facts *facts = &section->profile->facts;

	if (facts->partial)
		print_note(section, "a snapshot: the program was still running when it was taken");
	if (facts->left_running)
		print_note(section, "%s process%s still %s and %s not waited for",
			   text_count(facts->left_running).text,
			   facts->left_running == 1 ? "" : "es",
			   facts->left_running == 1 ? "runs" : "run",
			   facts->left_running == 1 ? "was" : "were");
	print_sight(section);
	if (facts->untold)
		print_note(section,
			   "%s of mappings and tasks %s lost: samples in what was mapped "
			   "then may be unresolved or under another name",
			   text_many(facts->untold, "record").text,
			   facts->untold == 1 ? "was" : "were");
	if (facts->cpus_joined)
		print_note(section,
			   "a CPU came online %s: what ran there before its clock was "
			   "started, within %.4f s, was not sampled",
			   text_many(facts->cpus_joined, "time").text,
			   (double)facts->unclocked_ns / 1e9);
	if (facts->not_followed)
		print_note(section, "%s could not be followed: what %s did is not counted",
			   text_many(facts->not_followed, "task").text,
			   facts->not_followed == 1 ? "it" : "they");
}

/* What would have named the code that was generated, for the next run. */
static void print_generated(const struct section *section)
{
	struct generated found[RUNTIMES];
	size_t count = generated_find(section->profile, found);

	for (size_t i = 0; i < count; i++)
		print_note(section, "%s in generated code without names: %s",
			   text_many(found[i].ticks, "sample").text, found[i].runtime->advice);
}

int notes_print(const struct section *section)
{
	print_facts(section);
	print_unresolved(section);
	print_generated(section);
	return print_mappings(section);
}
