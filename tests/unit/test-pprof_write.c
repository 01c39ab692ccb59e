// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "go.h"
#include "samples.h"
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void write_full(const char *path)
{
	struct profile *profile = samples_full();
	struct error error;

	assert_int_equal(pprof_write(profile, path, &error), 0);
	profile_free(profile);
}

static size_t count_files(void)
{
	DIR *folder = opendir(scratch_folder);
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	(void)closedir(folder);
	return count - 2;
}

/* Frees it. */
static void comes_back(struct profile *profile)
{
	const char *path = scratch("back.pb.gz");
	struct profile *back;
	struct error error;

	assert_int_equal(pprof_write(profile, path, &error), 0);
	assert_int_equal(pprof_read(path, &back, &error), 0);
	samples_equal(profile, back);
	profile_free(profile);
	profile_free(back);
}

static void every_field_comes_back(void **state)
{
	comes_back(samples_full());
}

static void a_profile_read_and_written_is_the_same_file(void **state)
{
	const char *first = scratch("first.pb.gz"), *second = scratch("second.pb.gz");
	size_t size, other_size;
	uint8_t *bytes, *other;
	struct profile *back;
	struct error error;

	write_full(first);
	assert_int_equal(pprof_read(first, &back, &error), 0);
	assert_int_equal(pprof_write(back, second, &error), 0);
	bytes = scratch_read(first, &size);
	other = scratch_read(second, &other_size);
	assert_int_equal(size, other_size);
	assert_memory_equal(bytes, other, size);
	free(bytes);
	free(other);
	profile_free(back);
}

static void an_empty_profile_comes_back(void **state)
{
	comes_back(profile_new());
}

static void mode_is(struct profile *profile, mode_t mode)
{
	const char *path = scratch("mode.pb.gz");
	mode_t old = umask(027);
	struct error error;
	struct stat now;

	assert_int_equal(pprof_write(profile, path, &error), 0);
	(void)umask(old);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_mode & 07777, mode);
}

/* The full one has an address of the kernel's; one that is hidden is none. */
static void the_mode_is_the_umasks_or_the_owners(void **state)
{
	struct profile *profile = samples_full();

	mode_is(profile, 0600);
	for (size_t i = 0; i < profile->location_count; i++) {
		struct profile_location *location = &profile->locations[i];

		if (profile->mappings[location->mapping].class == CLASS_KERNEL)
			location->address = 0;
	}
	mode_is(profile, 0640);
	profile->is_private = true;
	mode_is(profile, 0600);
	profile_free(profile);
}

static void an_old_file_is_replaced_behind_a_link(void **state)
{
	const char *file = scratch("target.pb.gz"), *link = scratch("link.pb.gz");
	struct profile *back;
	struct error error;
	struct stat now;

	scratch_write(file, "old", 3);
	assert_int_equal(symlink("target.pb.gz", link), 0);
	write_full(link);
	assert_int_equal(lstat(link, &now), 0);
	assert_true(S_ISLNK(now.st_mode));
	assert_int_equal(pprof_read(file, &back, &error), 0);
	profile_free(back);
}

static void a_full_device_is_told(void **state)
{
	struct profile *profile = samples_full();
	struct error error;

	assert_int_equal(pprof_write(profile, "/dev/full", &error), -ENOSPC);
	assert_string_equal(error.text, "/dev/full: No space left on device: "
					"free some space or name another place");
	assert_int_equal(pprof_write(profile, "/dev/null", &error), 0);
	profile_free(profile);
}

static void a_folder_is_refused(void **state)
{
	struct profile *profile = samples_full();
	struct error error;

	assert_int_equal(pprof_write(profile, scratch_folder, &error), -EISDIR);
	assert_non_null(strstr(error.text, ": Is a directory: name another place"));
	assert_int_equal(pprof_write(profile, scratch("no/such"), &error), -ENOENT);
	assert_non_null(strstr(error.text, ": No such file or directory: "));
	profile_free(profile);
}

/* A file may not grow beyond what there is of the packed head: the write fails half-way. */
static int write_limited(const char *path)
{
	struct rlimit limit = {64, 64};
	struct profile *profile = samples_full();
	struct error error;
	int ret;

	(void)signal(SIGXFSZ, SIG_IGN);
	if (setrlimit(RLIMIT_FSIZE, &limit))
		return 1;
	ret = pprof_write(profile, path, &error);
	profile_free(profile);
	return ret == -EFBIG && strstr(error.text, "File too large") ? 0 : 2;
}

static void a_failed_write_leaves_the_old_file_and_nothing_else(void **state)
{
	const char *path = scratch("kept.pb.gz");
	size_t before, size;
	uint8_t *bytes;
	pid_t child;
	int status;

	scratch_write(path, "old", 3);
	before = count_files();
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(write_limited(path));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(count_files(), before);
	bytes = scratch_read(path, &size);
	assert_int_equal(size, 3);
	assert_memory_equal(bytes, "old", 3);
	free(bytes);
}

static void a_count_too_large_for_the_format_is_refused(void **state)
{
	struct profile *profile = samples_full();
	size_t before = count_files();
	struct error error;

	profile->cells[0].ticks = (uint64_t)INT64_MAX + 1;
	assert_int_equal(pprof_write(profile, scratch("large"), &error), -EOVERFLOW);
	assert_int_equal(count_files(), before);
	profile_free(profile);
}

static void pprof_counts_the_same(void **state)
{
	go_need();
	write_full(scratch("go.pb.gz"));
	assert_int_equal(go_total(scratch("go.pb.gz"), "samples"), 1023 + 1024 + 2048);
}

/* What pprof writes has lost or renumbered what our facts speak of, and still adds up. */
static void what_pprof_rewrites_can_be_read(void **state)
{
	struct profile_account account;
	struct profile *back, *ours;
	struct error error;
	char command[600];

	go_need();
	write_full(scratch("go.pb.gz"));
	(void)snprintf(command, sizeof(command),
		       "go tool pprof -symbolize=none -proto -output=%s -ignore=main %s >%s 2>&1",
		       scratch("again.pb.gz"), scratch("go.pb.gz"), scratch("out"));
	assert_int_equal(system(command), 0);
	assert_int_equal(pprof_read(scratch("again.pb.gz"), &back, &error), 0);
	profile_account(back, &account);
	assert_int_equal(account.total, back->facts.samples);
	assert_int_equal(account.ticks[CLASS_KERNEL], 16 + 2048);
	assert_int_equal(account.ticks[CLASS_IDLE], 1024);
	assert_int_equal(account.ticks[CLASS_VDSO], 32);
	assert_int_equal(account.ticks[CLASS_ANONYMOUS], 64);
	assert_int_equal(pprof_write(back, scratch("ours.pb.gz"), &error), 0);
	assert_int_equal(pprof_read(scratch("ours.pb.gz"), &ours, &error), 0);
	assert_true(ours->facts.foreign);
	samples_equal(back, ours);
	profile_free(ours);
	profile_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_comes_back),
		cmocka_unit_test(a_profile_read_and_written_is_the_same_file),
		cmocka_unit_test(an_empty_profile_comes_back),
		cmocka_unit_test(the_mode_is_the_umasks_or_the_owners),
		cmocka_unit_test(an_old_file_is_replaced_behind_a_link),
		cmocka_unit_test(a_full_device_is_told),
		cmocka_unit_test(a_folder_is_refused),
		cmocka_unit_test(a_failed_write_leaves_the_old_file_and_nothing_else),
		cmocka_unit_test(a_count_too_large_for_the_format_is_refused),
		cmocka_unit_test(pprof_counts_the_same),
		cmocka_unit_test(what_pprof_rewrites_can_be_read),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
