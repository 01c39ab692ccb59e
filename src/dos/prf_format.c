// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "base/array.h"
#include "dos/prf.h"
#include "dos/prf_names.h"
#include "profile/builder.h"
#include "profile/replace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A .PRF and a profile.  The program's mapping begins at address 0 (a .COM's at 100h, where the map
 * has it) and its cells are buckets; the places outside are mappings of their own, whose ranges are
 * the paragraphs of the header, so that the .PRF can be made again. */

#define MEMORY_END 0x110000u /* what segment and offset reach on an 8086 */
#define MICROSECOND_NS 1000u

/* PROFIL's own bounds of the clock's interval. */
#define GRAIN_MIN 60u
#define GRAIN_MAX 65529u

static int add_mapping(struct builder *builder, enum profile_class class, const char *path,
		       uint64_t start, uint64_t limit, uint32_t *ret_index)
{
	struct profile_mapping mapping = {.class = class, .start = start, .limit = limit};

	if (profile_string(builder->profile, path, &mapping.path))
		return -ENOMEM;
	return builder_mapping(builder, &mapping, ret_index);
}

static int place(struct builder *builder, uint32_t mapping, uint64_t address, uint64_t ticks)
{
	const struct profile_location location = {.mapping = mapping, .address = address};

	return builder_ticks(builder, &location, ticks);
}

static int place_outside(struct builder *builder, const struct prf *prf)
{
	const uint64_t dos = (uint64_t)prf->dos_pa * PARAGRAPH;
	const uint64_t low = (uint64_t)prf->prog_low_pa * PARAGRAPH;
	const uint64_t high = (uint64_t)prf->prog_high_pa * PARAGRAPH;
	const struct {
		enum profile_class class;
		const char *path;
		uint64_t start, limit, ticks;
	} places[] = {
		{CLASS_DOS, "[dos]", dos, low, prf->hit_dos},
		{CLASS_IO, "[io]", 0, dos, prf->hit_io},
		{CLASS_HIGH, "[high]", high, MEMORY_END, prf->hit_high},
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_LENGTH(places); i++) {
		uint32_t mapping;

		ret = add_mapping(builder, places[i].class, places[i].path, places[i].start,
				  places[i].limit, &mapping);
		ret = ret ? ret : place(builder, mapping, places[i].start, places[i].ticks);
	}
	return ret;
}

static int place_program(struct builder *builder, const struct prf *prf,
			 const struct prf_names *names)
{
	uint64_t step = (uint64_t)prf->bucket_siz * PARAGRAPH;
	uint64_t start = prf_names_base(names);
	uint64_t size = (uint16_t)(prf->prog_high_pa - prf->prog_low_pa) * (uint64_t)PARAGRAPH;
	uint32_t mapping;
	int ret = add_mapping(builder, CLASS_PROGRAM, prf_names_program(names), start, start + size,
			      &mapping);

	for (size_t i = 0; !ret && i < prf->bucket_num; i++)
		ret = place(builder, mapping, start + i * step, prf->buckets[i]);
	return ret;
}

static uint64_t count_full(const struct prf *prf)
{
	uint64_t full = (prf->hit_io >= COUNT_FULL) + (prf->hit_dos >= COUNT_FULL) +
			(prf->hit_high >= COUNT_FULL);

	for (size_t i = 0; i < prf->bucket_num; i++)
		full += prf->buckets[i] >= COUNT_FULL;
	return full;
}

static int take_facts(struct profile *profile, const struct prf *prf)
{
	struct profile_facts *facts = &profile->facts;

	facts->period_ns = (uint64_t)prf->clock_grain * MICROSECOND_NS;
	facts->cell_size = (uint64_t)prf->bucket_siz * PARAGRAPH;
	facts->samples = prf->hit_io + prf->hit_dos + (uint64_t)prf->hit_high;
	for (size_t i = 0; i < prf->bucket_num; i++)
		facts->samples += prf->buckets[i];
	if (profile_string(profile, "PROFIL", &facts->engine) ||
	    profile_string(profile, "timer", &facts->clock))
		return -ENOMEM;
	return 0;
}

static int build(const struct prf *prf, const struct prf_names *names, struct profile **ret_profile)
{
	struct builder builder;
	struct profile *profile = NULL;
	int ret = builder_init(&builder);

	ret = ret ? ret : place_program(&builder, prf, names);
	ret = ret ? ret : place_outside(&builder, prf);
	ret = ret ? ret : builder_settle(&builder, &profile);
	builder_done(&builder);
	ret = ret ? ret : take_facts(profile, prf);
	ret = ret ? ret : prf_names_give(names, profile, count_full(prf));
	if (ret)
		profile_free(profile);
	else
		*ret_profile = profile;
	return ret;
}

static int read_prf_file(const struct format_source *source, struct profile **ret_profile,
			 struct error *reterr)
{
	const char *path = source->path;
	struct prf_names *names = NULL;
	struct prf prf = {0};
	int ret = prf_load(path, &prf, reterr);

	ret = ret ? ret : prf_names_open(path, &source->hints, &names, reterr);
	ret = ret ? ret : build(&prf, names, ret_profile);
	prf_names_close(names);
	prf_done(&prf);
	if (ret == -ENOMEM)
		return error_set(reterr, ret, "%s: out of memory: close something and try again",
				 path);
	return ret;
}

static const struct profile_mapping *find_class(const struct profile *profile,
						enum profile_class class)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		if (profile->mappings[i].class == class)
			return &profile->mappings[i];
	return NULL;
}

static uint16_t add_up(uint16_t count, uint64_t ticks)
{
	return ticks > (uint64_t)(COUNT_FULL - count) ? COUNT_FULL : (uint16_t)(count + ticks);
}

static uint16_t grain_of(const struct profile *profile)
{
	uint64_t grain = profile->facts.period_ns / MICROSECOND_NS;

	if (grain < GRAIN_MIN)
		return GRAIN_MIN;
	return (uint16_t)(grain > GRAIN_MAX ? GRAIN_MAX : grain);
}

/* PROFIL has a bucket more than fills the program; a .PRF of another maker may have more cells. */
static uint64_t count_buckets(const struct profile *profile, const struct profile_mapping *program)
{
	uint64_t size = profile->facts.cell_size;
	uint64_t count = (program->limit - program->start) / size + 1;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_location *location =
			&profile->locations[profile->cells[i].location];
		uint64_t index = (location->address - program->start) / size;

		if (&profile->mappings[location->mapping] == program && index >= count)
			count = index + 1;
	}
	return count;
}

/* The header's places, out of the mappings'.  Returns 0, or -ENOTSUP: not of a DOS program. */
static int take_places(const struct profile *profile, struct prf *prf)
{
	const struct profile_mapping *program = find_class(profile, CLASS_PROGRAM);
	const struct profile_mapping *dos = find_class(profile, CLASS_DOS);
	uint64_t paragraphs, buckets;

	if (!program || !dos || !profile->facts.cell_size || program->limit < program->start)
		return -ENOTSUP;
	paragraphs = (program->limit - program->start) / PARAGRAPH;
	prf->bucket_siz = (uint16_t)(profile->facts.cell_size / PARAGRAPH);
	prf->prog_low_pa = (uint16_t)(dos->limit / PARAGRAPH);
	prf->prog_high_pa = (uint16_t)(prf->prog_low_pa + paragraphs);
	prf->dos_pa = (uint16_t)(dos->start / PARAGRAPH);
	prf->clock_grain = grain_of(profile);
	buckets = count_buckets(profile, program);
	if (!prf->bucket_siz || paragraphs > UINT16_MAX || buckets > UINT16_MAX)
		return -ENOTSUP;
	prf->bucket_num = (uint16_t)buckets;
	return 0;
}

static void take_cell(const struct profile *profile, const struct profile_cell *cell,
		      struct prf *prf)
{
	const struct profile_location *location = &profile->locations[cell->location];
	const struct profile_mapping *mapping = &profile->mappings[location->mapping];
	uint64_t index = (location->address - mapping->start) / profile->facts.cell_size;
	uint16_t *count = NULL;

	if (mapping->class == CLASS_PROGRAM && index < prf->bucket_num)
		count = &prf->buckets[index];
	else if (mapping->class == CLASS_IO)
		count = &prf->hit_io;
	else if (mapping->class == CLASS_DOS)
		count = &prf->hit_dos;
	else
		count = &prf->hit_high;
	*count = add_up(*count, cell->ticks);
}

static int make_prf(const struct profile *profile, struct prf *prf)
{
	int ret = take_places(profile, prf);

	if (ret)
		return ret;
	prf->buckets = calloc(prf->bucket_num, sizeof(*prf->buckets));
	if (!prf->buckets)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++)
		take_cell(profile, &profile->cells[i], prf);
	return 0;
}

static int put(const struct prf *prf, const char *path, unsigned how, struct error *reterr)
{
	struct replace replace;
	int ret = replace_open(&replace, path, how, reterr);

	if (ret)
		return ret;
	ret = prf_put(replace.fd, prf);
	if (ret)
		replace_abandon(&replace);
	else
		ret = replace_commit(&replace);
	return ret ? replace_error(reterr, ret, path) : 0;
}

/* A counter that is full holds no more. */
static void tell_left(const struct profile *profile, const struct prf *prf, struct error *ret_left)
{
	uint64_t held = prf->hit_io + prf->hit_dos + (uint64_t)prf->hit_high;
	struct profile_account account;

	for (size_t i = 0; i < prf->bucket_num; i++)
		held += prf->buckets[i];
	profile_account(profile, &account);
	*ret_left = (struct error){""};
	if (held < account.total)
		(void)error_set(ret_left, 0,
				"of %" PRIu64 " samples %" PRIu64
				" beyond a counter's 65,534 are left out",
				account.total, account.total - held);
}

static int write_prf_file(const struct profile *profile, const char *path, struct error *ret_left,
			  struct error *reterr)
{
	struct prf prf = {0};
	int ret;

	if (!path)
		return error_set(reterr, -EINVAL,
				 "standard output: a .PRF is not text: name one with -o");
	ret = make_prf(profile, &prf);
	if (!ret)
		ret = put(&prf, path, profile_privacy(profile), reterr);
	if (!ret)
		tell_left(profile, &prf, ret_left);
	else if (ret == -ENOTSUP)
		(void)error_set(reterr, ret,
				"%s: not the profile of a DOS program: it cannot be a .PRF", path);
	else if (ret == -ENOMEM)
		(void)error_set(reterr, ret, "%s: out of memory: close something", path);
	prf_done(&prf);
	return ret;
}

const struct format_ops prf_format = {
	.name = "prf",
	.summary = "MS-DOS PROFIL's buckets",
	.ending = ".prf",
	.read = read_prf_file,
	.write = write_prf_file,
};
