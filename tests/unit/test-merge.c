// SPDX-License-Identifier: BSD-2-Clause
#include "profile/merge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "profile/pprof.h"
#include "random_profile.h"
#include "samples.h"
#include "scratch.h"

#include <errno.h>
#include <sys/mman.h>

/* ---- adding up ---- */

/* PROFILE as a file in memory, at PATH: a disk takes its time. */
static int write_in_memory(const struct profile *profile, char *path, size_t size)
{
	int fd = memfd_create("profil-test", 0);

	assert_true(fd >= 0);
	assert_int_equal(pprof_send(profile, fd), 0);
	(void)snprintf(path, size, "/proc/self/fd/%d", fd);
	return fd;
}

/* The sum of COUNT profiles, written and read again. */
static struct profile *sum_of(struct profile *const *profiles, size_t count)
{
	struct merge *merge = merge_new();
	struct profile *sum, *back;
	struct error error;
	char path[64];
	int fd;

	assert_non_null(merge);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(merge_add(merge, profiles[i], "one", &error), 0);
	assert_int_equal(merge_sum(merge, &sum), 0);
	merge_free(merge);
	fd = write_in_memory(sum, path, sizeof(path));
	profile_free(sum);
	assert_int_equal(pprof_read(path, &back, &error), 0);
	assert_int_equal(close(fd), 0);
	return back;
}

static void shuffle(uint64_t *dice, struct profile **profiles, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = dice_below(dice, i);
		struct profile *taken = profiles[i - 1];

		profiles[i - 1] = profiles[other];
		profiles[other] = taken;
	}
}

/* The sum in a random order and by random groups, down to sums of one; frees what it makes. */
static struct profile *sum_by_groups(uint64_t *dice, struct profile *const *profiles, size_t count)
{
	struct profile *parts[16], *whole;
	size_t part_count = 0, size;

	if (count == 1)
		return sum_of(profiles, 1);
	for (size_t i = 0; i < count; i += size) {
		size = 1 + dice_below(dice, i ? count - i : count - 1);
		parts[part_count++] = sum_by_groups(dice, profiles + i, size);
	}
	shuffle(dice, parts, part_count);
	whole = sum_of(parts, part_count);
	while (part_count--)
		profile_free(parts[part_count]);
	return whole;
}

static void check_same_bytes(const struct profile *left, const struct profile *right)
{
	char path[64], other_path[64];
	int fd = write_in_memory(left, path, sizeof(path));
	int other_fd = write_in_memory(right, other_path, sizeof(other_path));
	size_t size, other_size;
	uint8_t *bytes = scratch_read(path, &size);
	uint8_t *other = scratch_read(other_path, &other_size);

	assert_int_equal(size, other_size);
	assert_memory_equal(bytes, other, size);
	free(bytes);
	free(other);
	assert_int_equal(close(fd) || close(other_fd), 0);
}

static uint64_t calls_of(const struct profile *profile)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < profile->call_count; i++)
		calls = ticks_add(calls, profile->calls[i].count);
	return calls;
}

/* What a class, and all, has in the sum is what it has in the parts. */
static void check_accounts(struct profile *const *profiles, size_t count, const struct profile *sum)
{
	struct profile_account account, part, expected = {.total = 0};
	uint64_t calls = 0;

	for (size_t i = 0; i < count; i++) {
		profile_account(profiles[i], &part);
		for (int class = 0; class < PROFILE_CLASSES; class ++)
			expected.ticks[class] = ticks_add(expected.ticks[class], part.ticks[class]);
		for (int reason = 0; reason < UNRESOLVED_REASONS; reason++)
			expected.unresolved[reason] =
				ticks_add(expected.unresolved[reason], part.unresolved[reason]);
		expected.total = ticks_add(expected.total, part.total);
		expected.overflow = ticks_add(expected.overflow, part.overflow);
		calls = ticks_add(calls, calls_of(profiles[i]));
	}
	assert_int_equal(calls_of(sum), calls);
	profile_account(sum, &account);
	assert_memory_equal(account.ticks, expected.ticks, sizeof(account.ticks));
	assert_memory_equal(account.unresolved, expected.unresolved, sizeof(account.unresolved));
	assert_int_equal(account.total, expected.total);
	assert_int_equal(account.overflow, expected.overflow);
	assert_int_equal(sum->facts.samples, account.total);
}

static void any_order_and_grouping_gives_the_same_bytes(void **state)
{
	uint64_t dice = 5;

	for (int round = 0; round < 400; round++) {
		struct profile *profiles[8], *whole, *again;
		size_t count = 1 + dice_below(&dice, 8);

		for (size_t i = 0; i < count; i++) {
			profiles[i] = random_profile(&dice);
			random_amounts(&dice, profiles[i]);
		}
		whole = sum_of(profiles, count);
		check_accounts(profiles, count, whole);
		shuffle(&dice, profiles, count);
		again = sum_by_groups(&dice, profiles, count);
		check_same_bytes(whole, again);
		profile_free(again);
		profile_free(whole);
		while (count--)
			profile_free(profiles[count]);
	}
}

/* A profile by chance that counts samples alone, no cell as many as it can hold. */
static struct profile *random_samples(uint64_t *dice)
{
	struct profile *profile = random_profile(dice);

	profile->facts.samples = profile->call_count = 0;
	for (size_t i = 0; i < profile->cell_count; i++)
		profile->facts.samples += profile->cells[i].ticks %= 1000;
	return profile;
}

/* Off a sum comes one of its parts, and what is left has the others' samples, class by class; off
 * that, it does not come again. */
static void what_was_there_before_is_taken_off(void **state)
{
	uint64_t dice = 7;

	for (int round = 0; round < 200; round++) {
		struct profile *parts[] = {random_samples(&dice), random_samples(&dice)}, *left;
		struct merge *merge = merge_new(), *again = merge_new();
		struct error error;

		for (int i = 0; i < 2; i++)
			assert_int_equal(merge_add(merge, parts[i], "one", &error), 0);
		assert_int_equal(merge_take_off(merge, parts[0], &error), 0);
		assert_int_equal(merge_sum(merge, &left), 0);
		check_accounts(&parts[1], 1, left);
		for (size_t i = 0; i < left->cell_count; i++)
			assert_true(left->cells[i].ticks > 0);
		assert_int_equal(merge_add(again, left, "left", &error), 0);
		if (parts[0]->cell_count) {
			parts[0]->cells[0].ticks = left->facts.samples + 1;
			assert_int_equal(merge_take_off(again, parts[0], &error), -EINVAL);
		}
		merge_free(again);
		merge_free(merge);
		profile_free(left);
		profile_free(parts[0]);
		profile_free(parts[1]);
	}
}

/* ---- what is one thing ---- */

static struct profile *one_cell(const char *path, const char *build_id, const char *name,
				uint64_t inode, uint64_t ticks)
{
	struct profile *profile = profile_new();
	struct profile_function function = {.name = samples_text(profile, name)};
	struct file_identity identity = {.inode = inode};
	uint32_t index;

	if (!profile_says_address(name))
		function.system_name = function.name;
	assert_int_equal(profile_add_function(profile, &function, &index), 0);
	samples_mapping(profile, CLASS_LIBRARIES, path, build_id, "", &identity);
	samples_cell(profile, LOCATION_ADDRESS, 0, 0x2010, *name ? 1 : 0, PROFILE_NO_TASK, ticks);
	profile->facts.samples = ticks;
	profile->facts.period_ns = 1000;
	return profile;
}

/* The sum of both, which are freed. */
static struct profile *sum_of_two(struct profile *left, struct profile *right)
{
	struct profile *const profiles[] = {left, right};
	struct profile *sum = sum_of(profiles, 2);

	profile_free(left);
	profile_free(right);
	return sum;
}

static const char *name_of(const struct profile *profile, size_t location)
{
	const struct profile_location *found = &profile->locations[location];

	assert_true(found->line_count);
	return profile_text(profile,
			    profile->functions[profile->lines[found->first_line].function].name);
}

static void a_build_id_is_one_file_on_all_machines(void **state)
{
	struct profile *sum = sum_of_two(one_cell("/usr/lib/x.so", "c0de", "", 1, 3),
					 one_cell("/opt/x.so", "c0de", "f", 2, 4));

	assert_int_equal(sum->mapping_count, 1);
	assert_string_equal(profile_text(sum, sum->mappings[0].path), "/opt/x.so");
	assert_int_equal(sum->mappings[0].identity.inode, 0);
	assert_int_equal(sum->cell_count, 1);
	assert_int_equal(sum->cells[0].ticks, 7);
	assert_string_equal(name_of(sum, 0), "f");
	profile_free(sum);
}

static void a_name_is_better_than_an_address(void **state)
{
	struct profile *sum = sum_of_two(one_cell("/x.so", "c0de", "x.so+0x2010", 1, 1),
					 one_cell("/x.so", "c0de", "a", 1, 1));

	assert_string_equal(name_of(sum, 0), "a");
	assert_int_equal(sum->mappings[0].identity.inode, 1);
	profile_free(sum);
}

static void without_a_build_id_files_are_their_inodes(void **state)
{
	struct profile *sum =
		sum_of_two(one_cell("/x.so", "", "f", 1, 3), one_cell("/x.so", "", "f", 2, 4));

	assert_int_equal(sum->mapping_count, 2);
	assert_int_equal(sum->cell_count, 2);
	profile_free(sum);
}

static void cells_are_full_and_do_not_wrap(void **state)
{
	struct profile *sum = sum_of_two(one_cell("/x.so", "c0de", "f", 1, TICKS_MAX - 2),
					 one_cell("/x.so", "c0de", "f", 1, 5));

	assert_int_equal(sum->cells[0].ticks, TICKS_MAX);
	assert_int_equal(sum->facts.samples, TICKS_MAX);
	profile_free(sum);
}

/* One caller and none are two things; each is added up, and what only calls lead to is kept. */
static void calls_are_added_up(void **state)
{
	struct profile *left = one_cell("/x.so", "c0de", "f", 1, 3);
	struct profile *right = one_cell("/x.so", "c0de", "f", 1, 4), *sum;

	samples_cell(left, LOCATION_ADDRESS, 0, 0x2090, 0, PROFILE_NO_TASK, 0);
	samples_cell(right, LOCATION_ADDRESS, 0, 0x2090, 0, PROFILE_NO_TASK, 0);
	samples_call(left, 1, 0, 5);
	samples_call(left, PROFILE_NO_CALLER, 0, 7);
	samples_call(right, PROFILE_NO_CALLER, 0, 0);
	samples_call(right, 1, 0, TICKS_MAX - 6);
	samples_call(right, 0, 0, 9);
	sum = sum_of_two(left, right);
	assert_int_equal(sum->cell_count, 1);
	assert_int_equal(sum->location_count, 2);
	assert_int_equal(sum->call_count, 3);
	assert_int_equal(sum->calls[0].caller, 0);
	assert_int_equal(sum->calls[0].count, 9);
	assert_int_equal(sum->calls[1].caller, 1);
	assert_int_equal(sum->calls[1].count, TICKS_MAX - 1);
	assert_int_equal(sum->calls[2].caller, PROFILE_NO_CALLER);
	assert_int_equal(sum->calls[2].count, 7);
	profile_free(sum);
}

static void facts_are_added_up_or_agreed_on(void **state)
{
	struct profile *left = one_cell("/x.so", "", "f", 1, 3);
	struct profile *right = one_cell("/x.so", "", "f", 1, 5), *sum;

	left->facts.command = samples_text(left, "make -j2 all");
	right->facts.command = samples_text(right, "make -j2 check");
	left->facts.engine = samples_text(left, "kernel");
	right->facts.engine = samples_text(right, "perf");
	left->facts.no_stacks = samples_text(left, "no memory");
	right->facts.no_stacks = samples_text(right, "no descriptors");
	left->facts.cpu_ns = 3000, right->facts.cpu_ns = 5000;
	left->facts.duration_ns = 4000;
	left->facts.time_ns = 9, right->facts.time_ns = 8;
	right->facts.partial = true;
	sum = sum_of_two(left, right);
	assert_string_equal(profile_text(sum, sum->facts.command), "make -j2 …");
	assert_string_equal(profile_text(sum, sum->facts.engine), "");
	assert_string_equal(profile_text(sum, sum->facts.no_stacks), "no descriptors");
	assert_int_equal(sum->facts.cpu_ns, 8000);
	assert_int_equal(sum->facts.duration_ns, 0);
	assert_int_equal(sum->facts.time_ns, 8);
	assert_int_equal(sum->facts.period_ns, 1000);
	assert_true(sum->facts.partial);
	profile_free(sum);
}

/* ---- what is not to be added up ---- */

static void refused(struct profile *left, struct profile *right, const char *words)
{
	struct merge *merge = merge_new();
	struct error error = {""};
	struct profile *sum;

	assert_int_equal(merge_add(merge, left, "left.pb.gz", &error), 0);
	assert_int_equal(merge_add(merge, right, "right.pb.gz", &error), -EINVAL);
	assert_non_null(strstr(error.text, "right.pb.gz: "));
	assert_non_null(strstr(error.text, words));
	assert_int_equal(merge_sum(merge, &sum), 0);
	assert_int_equal(sum->facts.samples, left->facts.samples);
	profile_free(sum);
	merge_free(merge);
	profile_free(left);
	profile_free(right);
}

static void other_events_and_periods_are_refused(void **state)
{
	struct profile *left = one_cell("/x.so", "", "f", 1, 3);
	struct profile *right = one_cell("/x.so", "", "f", 1, 3);

	right->facts.event = samples_text(right, "cycles");
	refused(left, right, "'cycles'");
	left = one_cell("/x.so", "", "f", 1, 3);
	right = one_cell("/x.so", "", "f", 1, 3);
	right->facts.period_ns = 1001;
	refused(left, right, "its period is 1001 ns, of those before it 1000 ns");
	/* A mean that looks the same is not what was asked for. */
	left = one_cell("/x.so", "", "f", 1, 3);
	right = one_cell("/x.so", "", "f", 1, 3);
	right->facts.asked_ns = 2000;
	refused(left, right, "2000 ns");
	left = one_cell("/x.so", "", "f", 1, 3);
	right = one_cell("/x.so", "", "f", 1, 3);
	right->facts.cell_size = 16;
	refused(left, right, "its cells are of 16 bytes");
}

static void the_mean_of_dithered_periods_is_exact(void **state)
{
	struct profile *left = one_cell("/x.so", "", "f", 1, 3);
	struct profile *right = one_cell("/x.so", "", "f", 1, 4), *sum;

	left->facts.asked_ns = right->facts.asked_ns = 1000;
	left->facts.samples_ns = 3100, left->facts.period_ns = 1033;
	right->facts.samples_ns = 3950, right->facts.period_ns = 987;
	sum = sum_of_two(left, right);
	assert_int_equal(sum->facts.samples_ns, 7050);
	assert_int_equal(sum->facts.period_ns, 1007);
	profile_free(sum);
}

static void the_digest_is_that_of_the_unpacked_file(void **state)
{
	struct profile *profile = one_cell("/x.so", "", "f", 1, 3);
	struct pprof_digest digest;
	struct error error;
	char command[512];

	assert_int_equal(pprof_write_digest(profile, scratch("d.pb.gz"), &digest, &error), 0);
	(void)snprintf(command, sizeof(command), "zcat %s | sha256sum | grep -q '^%s '",
		       scratch("d.pb.gz"), digest.text);
	assert_int_equal(system(command), 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_and_grouping_gives_the_same_bytes),
		cmocka_unit_test(what_was_there_before_is_taken_off),
		cmocka_unit_test(a_build_id_is_one_file_on_all_machines),
		cmocka_unit_test(a_name_is_better_than_an_address),
		cmocka_unit_test(without_a_build_id_files_are_their_inodes),
		cmocka_unit_test(cells_are_full_and_do_not_wrap),
		cmocka_unit_test(calls_are_added_up),
		cmocka_unit_test(facts_are_added_up_or_agreed_on),
		cmocka_unit_test(other_events_and_periods_are_refused),
		cmocka_unit_test(the_mean_of_dithered_periods_is_exact),
		cmocka_unit_test(the_digest_is_that_of_the_unpacked_file),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
