// SPDX-License-Identifier: BSD-2-Clause
#include "profile/builder.h"
#include "profile/merge.h"
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "dice.h"
#include "samples.h"
#include "scratch.h"

#include <sys/mman.h>
#include <unistd.h>

/* Profiles that count more than samples: of several values, and of call stacks of two frames. */

/* What is counted, as it could come from two tracers beside the clock. */
static const struct count {
	const char *place, *caller; /* functions; NULL: none */
	const char *type, *unit;    /* NULL: samples */
	uint64_t amount;
} counts[] = {
	{"work", "main", NULL, NULL, 5},
	{"work", "main", "blocked", "nanoseconds", 700},
	{"work", "main", "allocated", "bytes", 4096},
	{"work", NULL, NULL, NULL, 2},
	{"wait", "main", "blocked", "nanoseconds", 30000},
	{"main", NULL, NULL, NULL, 1},
	{"work", "wait", "allocated", "bytes", 64},
	{"work", "main", NULL, NULL, 3},
	{"wait", "main", "blocked", "nanoseconds", 1},
};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

static uint32_t place(struct builder *builder, const char *function)
{
	const struct profile_mapping program = {.path = samples_text(builder->profile, "/bin/p"),
						.limit = UINT64_MAX};
	struct profile_location location = {.address = (uint64_t)function[0] << 4};
	struct profile_function named = {.name = samples_text(builder->profile, function)};
	struct profile_line lines[2] = {{0}};
	uint32_t frames, number;

	named.system_name = named.name;
	assert_int_equal(builder_mapping(builder, &program, &location.mapping), 0);
	assert_int_equal(builder_function(builder, &named, &lines[1].function), 0);
	assert_int_equal(builder_frames(builder, lines, 1, &frames), 0);
	assert_int_equal(builder_location(builder, &location, frames, &number), 0);
	return number;
}

static void add(struct builder *builder, const struct count *count)
{
	struct profile_cell cell = {
		.task = PROFILE_NO_TASK, .ticks = count->amount, .stack_end = STACK_WHOLE};

	cell.location = place(builder, count->place);
	if (count->caller) {
		struct profile_context context = {.location = place(builder, count->caller)};

		assert_int_equal(builder_context(builder, &context, &cell.context), 0);
	}
	if (count->type) {
		struct profile_value value = {samples_text(builder->profile, count->type),
					      samples_text(builder->profile, count->unit)};
		uint32_t number;

		assert_int_equal(builder_value(builder, &value, &number), 0);
		cell.value = (number + 1) & PROFILE_VALUES_MAX;
	} else {
		builder->profile->facts.samples += count->amount;
	}
	assert_int_equal(builder_cell(builder, &cell), 0);
}

/* Of those of NUMBERS, in their order. */
static struct profile *build(const size_t *numbers, size_t count)
{
	struct builder builder;
	struct profile *profile;

	assert_int_equal(builder_init(&builder), 0);
	builder.profile->facts.event = samples_text(builder.profile, "cpu-clock");
	builder.profile->facts.period_ns = 1000000;
	for (size_t i = 0; i < count; i++)
		add(&builder, &counts[numbers[i]]);
	assert_int_equal(builder_settle(&builder, &profile), 0);
	builder_done(&builder);
	return profile;
}

static void shuffle(uint64_t *dice, size_t *numbers, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = dice_below(dice, i), number = numbers[other];

		numbers[other] = numbers[i - 1];
		numbers[i - 1] = number;
	}
}

/* A disk takes its time. */
static int write_in_memory(const struct profile *profile, char *path, size_t size)
{
	int fd = memfd_create("profil-test", 0);

	assert_true(fd >= 0);
	assert_int_equal(pprof_send(profile, fd), 0);
	(void)snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

static uint8_t *bytes_of(const struct profile *profile, size_t *ret_size)
{
	char path[64];
	int fd = write_in_memory(profile, path, sizeof(path));
	uint8_t *bytes = scratch_read(path, ret_size);

	assert_int_equal(close(fd), 0);
	return bytes;
}

static void check_same_bytes(const struct profile *left, const struct profile *right)
{
	size_t size, other_size;
	uint8_t *bytes = bytes_of(left, &size), *other = bytes_of(right, &other_size);

	assert_int_equal(size, other_size);
	assert_memory_equal(bytes, other, size);
	free(bytes);
	free(other);
}

/* PROFILE, which is freed, as it is read from its file. */
static struct profile *through_file(struct profile *profile)
{
	struct profile *back;
	struct error error;
	char path[64];
	int fd = write_in_memory(profile, path, sizeof(path));

	assert_int_equal(pprof_read(path, &back, &error), 0);
	assert_int_equal(close(fd), 0);
	check_same_bytes(profile, back);
	profile_free(profile);
	return back;
}

/* The sum of both, which are freed. */
static struct profile *sum_of(struct profile *left, struct profile *right)
{
	struct merge *merge = merge_new();
	struct profile *sum;
	struct error error;

	assert_non_null(merge);
	assert_int_equal(merge_add(merge, left, "left", &error), 0);
	assert_int_equal(merge_add(merge, right, "right", &error), 0);
	assert_int_equal(merge_sum(merge, &sum), 0);
	merge_free(merge);
	profile_free(left);
	profile_free(right);
	return sum;
}

static uint64_t amount_of(const struct profile *profile, const char *type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->amount_count; i++) {
		const struct profile_cell *amount = &profile->amounts[i];

		if (!strcmp(profile_text(profile, profile->values[amount->value - 1].type), type))
			sum += amount->ticks;
	}
	return sum;
}

static void check(const struct profile *profile)
{
	struct profile_account account;

	profile_account(profile, &account);
	assert_int_equal(account.total, 11);
	assert_int_equal(profile->facts.samples, 11);
	assert_int_equal(profile->cell_count, 3);
	assert_int_equal(profile->value_count, 2);
	assert_string_equal(profile_text(profile, profile->values[0].type), "allocated");
	assert_string_equal(profile_text(profile, profile->values[0].unit), "bytes");
	assert_string_equal(profile_text(profile, profile->values[1].type), "blocked");
	assert_int_equal(profile->amount_count, 4);
	assert_int_equal(amount_of(profile, "allocated"), 4096 + 64);
	assert_int_equal(amount_of(profile, "blocked"), 700 + 30001);
}

/* In whatever order they come, and through a file. */
static void any_order_is_one_file(void **state)
{
	size_t numbers[COUNTS];
	uint64_t dice = 1;
	struct profile *first, *other;

	for (size_t i = 0; i < COUNTS; i++)
		numbers[i] = i;
	first = through_file(build(numbers, COUNTS));
	check(first);
	for (int round = 0; round < 50; round++) {
		shuffle(&dice, numbers, COUNTS);
		other = through_file(build(numbers, COUNTS));
		check_same_bytes(first, other);
		profile_free(other);
	}
	profile_free(first);
}

/* The sum of parts of NUMBERS, however they are grouped, and how many RUNS it is of. */
static struct profile *sum_of_parts(uint64_t *dice, const size_t *numbers, size_t count,
				    uint64_t *runs)
{
	size_t left = dice_below(dice, count + 1);

	if (count < 2 || left == 0 || left == count) {
		*runs += 2;
		return sum_of(build(numbers, count), build(numbers, 0));
	}
	return through_file(sum_of(sum_of_parts(dice, numbers, left, runs),
				   sum_of_parts(dice, numbers + left, count - left, runs)));
}

/* A part that lacks a value has none of it. */
static void any_grouping_is_one_sum(void **state)
{
	size_t numbers[COUNTS];
	uint64_t dice = 2, runs;
	struct profile *first, *other;

	for (size_t i = 0; i < COUNTS; i++)
		numbers[i] = i;
	first = sum_of(build(numbers, COUNTS), build(numbers, 0));
	check(first);
	for (int round = 0; round < 200; round++) {
		shuffle(&dice, numbers, COUNTS);
		runs = 0;
		other = sum_of_parts(&dice, numbers, COUNTS, &runs);
		check(other);
		assert_int_equal(other->facts.runs, runs);
		other->facts.runs = first->facts.runs;
		check_same_bytes(first, other);
		profile_free(other);
	}
	profile_free(first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_is_one_file),
		cmocka_unit_test(any_grouping_is_one_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
