// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/annotate.h"

#include "analysis/annotate_private.h"
#include "analysis/names.h"
#include "analysis/opened.h"
#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this a "function" is not one: a table, or a file without symbols. */
#define FUNCTION_MAX (1 << 20)

/* A cell of the subject, at the file's own address. */
struct hit {
	uint64_t address, ticks;
	uint64_t asked; /* of its samples, those in what was asked for */
	uint32_t location;
};

struct build {
	struct annotation *annotation;
	const struct profile *profile;
	const struct subjects *subjects;
	uint32_t number;
	struct opened opened;
	struct hit *hits; /* rising; those of one address are one */
	size_t hit_count, hit_capacity;
	uint32_t *locations; /* of rows, see annotate_lines() */
};

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

static void join_hits(struct build *build)
{
	size_t count = 0;

	ARRAY_SORT(build->hits, build->hit_count, compare_hits);
	for (size_t i = 0; i < build->hit_count; i++) {
		struct hit *last = count ? &build->hits[count - 1] : NULL;

		if (last && last->address == build->hits[i].address) {
			last->ticks += build->hits[i].ticks;
			last->asked += build->hits[i].asked;
		} else {
			build->hits[count++] = build->hits[i];
		}
	}
	build->hit_count = count;
}

static int collect_hits(struct build *build)
{
	const struct profile *profile = build->profile;
	uint32_t object = build->subjects->items[build->number].object;
	uint64_t *shifts = calloc(profile->mapping_count + 1, sizeof(*shifts));
	int ret =
		shifts ? opened_shifts(profile, build->subjects->objects, object, shifts) : -ENOMEM;

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];

		build->annotation->total += cell->ticks;
		if (build->subjects->of_locations[cell->location] != build->number)
			continue;
		ret = ARRAY_RESERVE(build->hits, build->hit_capacity, build->hit_count + 1);
		if (ret >= 0)
			build->hits[build->hit_count++] = (struct hit){
				.address = location->address + shifts[location->mapping],
				.ticks = cell->ticks,
				.asked = build->subjects->asked[cell->location] ? cell->ticks : 0,
				.location = cell->location,
			};
	}
	free(shifts);
	join_hits(build);
	return ret;
}

/* ---- which code ---- */

static uint64_t asked_within(const struct build *build, uint64_t start, uint64_t end)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < build->hit_count; i++)
		if (build->hits[i].address >= start && build->hits[i].address < end)
			ticks += build->hits[i].asked;
	return ticks;
}

/* Several functions of a file can have one name; that with most samples in what was asked for (a
 * line of one of them) is shown.  Returns 0, also when none is found, or -ENOMEM. */
static int choose_function(struct build *build)
{
	struct annotation *annotation = build->annotation;
	struct code_function function = {0};
	uint64_t best = 0, ticks;

	for (size_t i = 0; i < build->hit_count; i++) {
		int ret;

		if (build->hits[i].address < function.end)
			continue;
		ret = code_function_at(build->opened.code, build->hits[i].address, &function);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		ticks = asked_within(build, function.start, function.end);
		if (ticks <= best)
			continue;
		best = ticks;
		annotation->start = function.start;
		annotation->end = function.end;
	}
	return 0;
}

static void give_up_code(struct build *build, const char *why)
{
	struct annotation *annotation = build->annotation;

	(void)snprintf(annotation->why_no_code, sizeof(annotation->why_no_code), "%s", why);
	annotation->start = annotation->end = 0;
}

static bool is_shown(const struct annotation *annotation, uint64_t address)
{
	return annotation->start == annotation->end ||
	       (address >= annotation->start && address < annotation->end);
}

/* ---- rows ---- */

static int add_row(void *context, const struct instruction *instruction)
{
	struct annotation *annotation = context;

	if (ARRAY_RESERVE(annotation->rows, annotation->row_capacity, annotation->row_count + 1))
		return -ENOMEM;
	annotation->rows[annotation->row_count++] =
		(struct annotated_row){.instruction = *instruction, .line = ANNOTATE_NONE};
	return 0;
}

static int disassemble(struct build *build)
{
	struct annotation *annotation = build->annotation;
	size_t size = annotation->end - annotation->start;
	int machine = code_machine(build->opened.code);
	const char *why = disasm_why_not(machine);
	const uint8_t *bytes = NULL;
	int ret;

	if (!why && !size)
		why = "no symbol says where the function begins and ends";
	if (!why && size > FUNCTION_MAX)
		why = "the function is longer than 1 MiB";
	if (!why) {
		bytes = code_bytes(build->opened.code, annotation->start, size);
		why = bytes ? NULL : "the file does not have its bytes";
	}
	if (!why) {
		ret = disasm_run(machine, bytes, size, annotation->start, add_row, annotation);
		if (ret != -EIO)
			return ret;
		why = "the program that reads its instructions failed";
	}
	give_up_code(build, why);
	return 0;
}

static int add_bare_rows(struct build *build)
{
	struct instruction instruction = {0};
	int ret = 0;

	for (size_t i = 0; i < build->hit_count && !ret; i++) {
		instruction.address = build->hits[i].address;
		ret = add_row(build->annotation, &instruction);
	}
	return ret;
}

static int charge_rows(struct build *build)
{
	struct annotation *annotation = build->annotation;

	build->locations = calloc(annotation->row_count + 1, sizeof(*build->locations));
	if (!build->locations)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->row_count; i++)
		build->locations[i] = ANNOTATE_NONE;
	for (size_t i = 0; i < build->hit_count; i++) {
		const struct hit *hit = &build->hits[i];
		uint32_t row;

		if (!is_shown(annotation, hit->address)) {
			annotation->same_name += hit->ticks;
			continue;
		}
		row = annotate_find_row(annotation, hit->address);
		annotation->rows[row].ticks += hit->ticks;
		annotation->ticks += hit->ticks;
		build->locations[row] = hit->location;
	}
	return 0;
}

static int make_rows(struct build *build)
{
	int ret = 0;

	if (build->opened.code) {
		ret = choose_function(build);
		if (!ret)
			ret = disassemble(build);
	} else {
		give_up_code(build, build->opened.why);
	}
	if (!ret && !build->annotation->row_count)
		ret = add_bare_rows(build);
	return ret ? ret : charge_rows(build);
}

/* ---- all of it ---- */

static const char *subject_name(struct build *build)
{
	const struct subject *subject = &build->subjects->items[build->number];
	const struct profile_location location = {
		.kind = LOCATION_ADDRESS, .mapping = subject->object, .address = subject->address};
	char *bare;
	uint32_t id;
	int ret;

	if (subject->function)
		return profile_text(build->profile, subject->function);
	bare = names_bare(build->profile, &location);
	ret = bare ? strings_add(build->annotation->texts, bare, strlen(bare), &id) : -ENOMEM;
	free(bare);
	return ret ? NULL : strings_get(build->annotation->texts, id);
}

static int fill_head(struct build *build)
{
	struct annotation *annotation = build->annotation;
	uint32_t object = build->subjects->items[build->number].object;
	const struct profile *profile = build->profile;

	annotation->profile = profile;
	annotation->texts = strings_new();
	if (!annotation->texts)
		return -ENOMEM;
	annotation->function = subject_name(build);
	if (!annotation->function)
		return -ENOMEM;
	annotation->object = names_object(profile, object);
	annotation->path = profile_text(profile, profile->mappings[object].path);
	annotation->class = profile->mappings[object].class;
	annotation->is_precise = annotate_is_precise(profile_text(profile, profile->facts.event));
	return 0;
}

static int fill(struct build *build, struct symbols *symbols)
{
	struct annotation *annotation = build->annotation;
	uint32_t object = build->subjects->items[build->number].object;
	int ret = fill_head(build);

	if (!ret)
		ret = opened_open(build->profile, object, &build->opened);
	if (!ret)
		ret = collect_hits(build);
	if (!ret)
		ret = make_rows(build);
	if (!ret && !*annotation->why_no_code) {
		ret = annotate_flow(annotation, build->opened.code);
		if (!annotation->is_precise)
			annotate_skids(annotation->rows, annotation->row_count);
	}
	return ret ? ret : annotate_lines(annotation, object, build->locations, symbols);
}

int annotate(const struct profile *profile, const struct subjects *subjects, uint32_t number,
	     struct symbols *symbols, struct annotation **ret_annotation)
{
	struct build build = {.profile = profile, .subjects = subjects, .number = number};
	int ret = -ENOMEM;

	build.annotation = calloc(1, sizeof(*build.annotation));
	if (build.annotation)
		ret = fill(&build, symbols);
	opened_done(&build.opened);
	free(build.hits);
	free(build.locations);
	if (ret) {
		annotation_free(build.annotation);
		return ret;
	}
	*ret_annotation = build.annotation;
	return 0;
}

struct annotation *annotation_free(struct annotation *annotation)
{
	if (!annotation)
		return NULL;
	for (size_t i = 0; i < annotation->file_count; i++)
		source_file_done(&annotation->files[i].source);
	loops_done(&annotation->loops);
	strings_free(annotation->texts);
	free(annotation->rows);
	free(annotation->lines);
	free(annotation->files);
	free(annotation->steps);
	free(annotation);
	return NULL;
}
