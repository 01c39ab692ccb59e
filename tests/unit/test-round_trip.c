// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"
#include "profile/merge.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random_profile.h"
/* Thousands of files, which are written through to a disk where there is one. */
#define SCRATCH_PARENT "/dev/shm"
#include "scratch.h"

/* import(export(p)) = p, over random profiles, for every format that is written and read, of what
 * it can hold; and what it cannot hold it says. */

#define TURNS 500

static void write_profile(const struct format_ops *format, const struct profile *profile,
			  const char *path, const char *left_out)
{
	struct error left = {"unset"}, error = {""};

	if (format->write(profile, path, &left, &error))
		fail_msg("%s: %s", format->name, error.text);
	if (!left_out)
		assert_string_equal(left.text, "");
	else if (!strstr(left.text, left_out))
		fail_msg("%s: '%s' is not in '%s'", format->name, left_out, left.text);
}

static struct profile *read_profile(const char *path)
{
	struct profile *profile = NULL;
	struct error error = {""};

	if (format_read(path, NULL, &profile, &error))
		fail_msg("%s", error.text);
	return profile;
}

static struct profile *through(const struct format_ops *format, const struct profile *profile,
			       const char *path)
{
	write_profile(format, profile, path, NULL);
	return read_profile(path);
}

/* ---- pprof's file, which holds all ---- */

/* In the order in which it is written: each thing once. */
static struct profile *sum_of(const struct profile *profile)
{
	struct merge *merge = merge_new();
	struct error error;
	struct profile *sum;

	assert_non_null(merge);
	assert_int_equal(merge_add(merge, profile, "one", &error), 0);
	assert_int_equal(merge_sum(merge, &sum), 0);
	merge_free(merge);
	return sum;
}

static void pprof_holds_all(void **state)
{
	uint64_t dice = 1;

	for (int turn = 0; turn < TURNS; turn++) {
		struct profile *random = random_profile(&dice), *profile = sum_of(random), *back;

		(void)profile_free(random);
		profile->facts.cell_size = 16 * dice_below(&dice, 3);
		back = through(&pprof_format, profile, scratch("a.pb.gz"));
		samples_equal(profile, back);
		assert_int_equal(back->facts.asked_ns, profile->facts.asked_ns);
		assert_int_equal(back->facts.samples_ns, profile->facts.samples_ns);
		assert_int_equal(back->facts.stolen_ns, profile->facts.stolen_ns);
		assert_int_equal(back->facts.cell_size, profile->facts.cell_size);
		(void)profile_free(back);
		(void)profile_free(profile);
	}
}

/* ---- gmon.out: one text, two bytes a cell ---- */

static void add_cell(struct profile *profile, uint32_t mapping, uint64_t address, uint64_t ticks)
{
	struct profile_location location = {.mapping = mapping, .address = address};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks};

	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
	profile->facts.samples += ticks;
}

/* A gmon.out's own profile: of a program that it does not name.  MOST: the most ticks of a cell. */
static struct profile *random_text(uint64_t *dice, uint64_t most)
{
	struct profile *profile = profile_new();
	struct profile_mapping mapping = {.limit = UINT64_MAX};
	uint64_t address = 0x400000 + 2 * dice_below(dice, 1000);
	size_t cells = 1 + dice_below(dice, 30);
	uint32_t index;

	assert_non_null(profile);
	mapping.path = samples_text(profile, "[program]");
	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
	for (size_t i = 0; i < cells; i++) {
		/* Near and far: the gaps between histograms are a few KiB. */
		address += 2 + 2 * dice_below(dice, dice_below(dice, 4) ? 20 : 5000);
		add_cell(profile, index, address, 1 + dice_below(dice, most));
	}
	profile->facts.period_ns = 1000000000 / (100 * (1 + dice_below(dice, 100)));
	return profile;
}

static void cells_equal(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->facts.samples, b->facts.samples);
	assert_int_equal(a->cell_count, b->cell_count);
	for (size_t i = 0; i < a->cell_count; i++) {
		assert_int_equal(a->cells[i].ticks, b->cells[i].ticks);
		assert_int_equal(a->locations[a->cells[i].location].address,
				 b->locations[b->cells[i].location].address);
	}
}

static void gmon_holds(const struct format_ops *format, uint64_t most, bool rate)
{
	uint64_t dice = 2;

	for (int turn = 0; turn < TURNS; turn++) {
		struct profile *profile = random_text(&dice, most);
		struct profile *once = through(format, profile, scratch("gmon.out"));
		struct profile *twice = through(format, once, scratch("gmon.out"));

		cells_equal(profile, once);
		/* A rate in whole hertz, and 0 where the file does not have it. */
		if (rate)
			assert_in_range(once->facts.period_ns, profile->facts.period_ns - 1,
					profile->facts.period_ns + 1);
		samples_equal(once, twice);
		(void)profile_free(twice);
		(void)profile_free(once);
		(void)profile_free(profile);
	}
}

static void gmon_of_gnu_holds_cells_of_any_size(void **state)
{
	gmon_holds(&gmon_gnu_format, 400000, /* rate= */ true);
}

static void gmon_of_the_bsds_holds_cells_of_16_bits(void **state)
{
	gmon_holds(&gmon_bsd44_format, 65535, /* rate= */ true);
	gmon_holds(&gmon_bsd_format, 65535, /* rate= */ false);
}

static void what_gmon_cannot_hold_is_told(void **state)
{
	struct profile *profile = samples_full();
	uint64_t dice = 3;

	for (size_t i = 0; i < profile->call_count; i++)
		profile->calls[i].count = 1;

	/* samples_full() has 5 ticks at addresses of files; one of them is beyond a bin. */
	write_profile(&gmon_gnu_format, profile, scratch("gmon.out"),
		      "4090 are of no file's text and left out");
	profile->cells[0].ticks = 65540;
	write_profile(&gmon_bsd44_format, profile, scratch("gmon.out"),
		      "5 beyond a bin's 65,535 are left out");
	(void)profile_free(profile);
	profile = random_text(&dice, 9);
	add_cell(profile, 0, 0x300001, 7);
	write_profile(&gmon_gnu_format, profile, scratch("gmon.out"),
		      "7 at odd addresses are a byte lower");
	(void)profile_free(profile);
}

static void more_than_a_file_can_hold_is_refused(void **state)
{
	const struct format_ops *const each[] = {&gmon_gnu_format, &perf_script_format};
	struct profile *profile = profile_new();
	struct profile_mapping mapping = {.limit = UINT64_MAX};
	struct error left, error;
	uint32_t index;

	assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
	add_cell(profile, index, 0x1000, TICKS_MAX);
	for (size_t i = 0; i < 2; i++) {
		error = (struct error){""};
		assert_int_equal(each[i]->write(profile, scratch("much"), &left, &error), -ENOTSUP);
		assert_non_null(strstr(error.text, "9223372036854775807 samples"));
		assert_int_equal(access(scratch("much"), F_OK), -1);
	}
	profile->cells[0].ticks = 1;
	samples_call(profile, 0, 0, TICKS_MAX);
	assert_int_equal(gmon_gnu_format.write(profile, scratch("much"), &left, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "9223372036854775807 calls"));
	assert_int_equal(access(scratch("much"), F_OK), -1);
	(void)profile_free(profile);
}

/* ---- perf script's text: places and names, a sample a tick ---- */

static void add_frame(struct profile *profile, struct profile_location *location, const char *name)
{
	struct profile_function function = {.name = samples_text(profile, name)};
	struct profile_line line = {0};
	uint32_t index, known = (uint32_t)profile->function_count;

	/* A function is one in its file: names have the mapping's number in them. */
	for (uint32_t i = 0; i < profile->function_count; i++)
		if (profile->functions[i].name == function.name)
			known = i;
	if (!profile_says_address(name))
		function.system_name = function.name;
	line.function = known;
	if (known == profile->function_count)
		assert_int_equal(profile_add_function(profile, &function, &index), 0);
	assert_int_equal(profile_add_line(profile, &line, &index), 0);
	if (!location->line_count++)
		location->first_line = index;
}

static void add_place(uint64_t *dice, struct profile *profile, uint64_t address)
{
	struct profile_location location = {
		.mapping = (uint32_t)dice_below(dice, profile->mapping_count),
		.address = address,
	};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = 1 + dice_below(dice, 9)};
	size_t frames = dice_below(dice, 4);
	char name[64];

	for (size_t i = 0; i < frames; i++) {
		(void)snprintf(name, sizeof(name), "%s%u",
			       PICK(dice, "f", "ns::g(int, (anonymous class)) const ",
				    "a b (c) [d]/", "x.so+0x2", "operator()+0xfe"),
			       location.mapping);
		add_frame(profile, &location, name);
	}
	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
	profile->facts.samples += cell.ticks;
}

/* The mappings in the order in which the cells meet them. */
static struct profile *random_places(uint64_t *dice)
{
	static const char *const paths[] = {"/bin/prog",  "/lib/x (1).so", "[kernel.kallsyms]",
					    "/a b/(c.so", "[vdso]",	   "[anon] node (7)"};
	static const enum profile_class classes[] = {CLASS_PROGRAM, CLASS_LIBRARIES,
						     CLASS_KERNEL,  CLASS_LIBRARIES,
						     CLASS_VDSO,    CLASS_ANONYMOUS};
	struct profile *profile = profile_new();
	size_t cells = dice_below(dice, 20);
	uint32_t index;

	assert_non_null(profile);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct profile_mapping mapping = {
			.class = classes[i],
			.path = samples_text(profile, paths[i]),
			.limit = UINT64_MAX,
		};

		assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
		add_cell(profile, index, 0x100 * i, 1);
	}
	for (size_t i = 0; i < cells; i++)
		add_place(dice, profile, 0x1000 + 0x10 * i);
	profile->facts.event = samples_text(profile, "cpu-clock");
	profile->facts.period_ns = 1 + dice_below(dice, 2000000);
	return profile;
}

static void perf_script_holds_places_and_names(void **state)
{
	uint64_t dice = 4;

	for (int turn = 0; turn < TURNS; turn++) {
		struct profile *profile = random_places(&dice);
		struct profile *back = through(&perf_script_format, profile, scratch("samples"));

		assert_int_equal(back->facts.period_ns, profile->facts.period_ns);
		assert_int_equal(back->facts.samples, profile->facts.samples);
		samples_texts_equal(back, back->facts.event, profile, profile->facts.event);
		samples_mappings_equal(profile, back);
		samples_cells_equal(profile, back);
		(void)profile_free(back);
		(void)profile_free(profile);
	}
}

/* ---- folded stacks ---- */

/* They hold names and counts: what is read back is written as it was. */
static void folded_stacks_hold_names_and_counts(void **state)
{
	uint64_t dice = 6;

	for (int turn = 0; turn < TURNS; turn++) {
		struct profile *profile = random_places(&dice);
		struct profile *back = through(&folded_format, profile, scratch("a.folded"));
		uint8_t *one, *other;
		size_t size, other_size;

		assert_int_equal(back->facts.samples, profile->facts.samples);
		write_profile(&folded_format, back, scratch("b.folded"), NULL);
		one = scratch_read(scratch("a.folded"), &size);
		other = scratch_read(scratch("b.folded"), &other_size);
		assert_int_equal(size, other_size);
		assert_memory_equal(one, other, size);
		free(one);
		free(other);
		(void)profile_free(back);
		(void)profile_free(profile);
	}
}

/* ---- .PRF ---- */

static void random_prf(uint64_t *dice, const char *path)
{
	uint16_t words[9 + 64] = {0};
	uint16_t paragraphs = (uint16_t)(1 + dice_below(dice, 200));
	uint16_t low = (uint16_t)(0x100 + dice_below(dice, 0x8000));

	words[2] = (uint16_t)(4 + dice_below(dice, 8));
	words[1] = paragraphs / words[2] + 1; /* as PROFIL has it */
	words[0] = (uint16_t)(60 + dice_below(dice, 65470));
	words[3] = low;
	words[4] = low + paragraphs;
	words[5] = (uint16_t)dice_below(dice, low);
	for (size_t i = 6; i < 9u + words[1]; i++)
		words[i] = (uint16_t)(dice_below(dice, 2) * dice_below(dice, 65536));
	scratch_write(path, words, 2 * (9u + words[1]));
}

static void prf_holds_what_profil_of_dos_wrote(void **state)
{
	uint64_t dice = 5;

	for (int turn = 0; turn < TURNS; turn++) {
		struct profile *profile, *back;
		uint8_t *one, *other;
		size_t size, other_size;

		random_prf(&dice, scratch("A.PRF"));
		profile = read_profile(scratch("A.PRF"));
		write_profile(&prf_format, profile, scratch("B.PRF"), NULL);
		one = scratch_read(scratch("A.PRF"), &size);
		other = scratch_read(scratch("B.PRF"), &other_size);
		assert_int_equal(size, other_size);
		assert_memory_equal(one, other, size);
		/* By way of profil's own file, too. */
		back = through(&pprof_format, profile, scratch("A.pb.gz"));
		samples_equal(profile, back);
		write_profile(&prf_format, back, scratch("B.PRF"), NULL);
		free(other);
		other = scratch_read(scratch("B.PRF"), &other_size);
		assert_memory_equal(one, other, size);
		free(one);
		free(other);
		(void)profile_free(back);
		(void)profile_free(profile);
	}
}

/* Whatever is both written and read stands above. */
static void no_format_is_left_out(void **state)
{
	const struct format_ops *const known[] = {&pprof_format,
						  &gmon_gnu_format,
						  &gmon_bsd44_format,
						  &gmon_bsd_format,
						  &perf_script_format,
						  &prf_format,
						  &folded_format,
						  /* in the tests of calls */ &mon_format};

	for (size_t i = 0; i < format_count; i++) {
		bool found = !formats[i]->read || !formats[i]->write;

		for (size_t j = 0; j < sizeof(known) / sizeof(*known); j++)
			found |= formats[i] == known[j];
		if (!found)
			fail_msg("%s is written and read, but not tried here", formats[i]->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pprof_holds_all),
		cmocka_unit_test(gmon_of_gnu_holds_cells_of_any_size),
		cmocka_unit_test(gmon_of_the_bsds_holds_cells_of_16_bits),
		cmocka_unit_test(what_gmon_cannot_hold_is_told),
		cmocka_unit_test(more_than_a_file_can_hold_is_refused),
		cmocka_unit_test(perf_script_holds_places_and_names),
		cmocka_unit_test(folded_stacks_hold_names_and_counts),
		cmocka_unit_test(prf_holds_what_profil_of_dos_wrote),
		cmocka_unit_test(no_format_is_left_out),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
