// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "profile/unpack.h"
#include "go.h"
#include "samples.h"
#include "scratch.h"

#include <errno.h>

static void what_cannot_be_opened_is_told(void **state)
{
	struct profile *profile;
	struct error error;

	assert_int_equal(pprof_read("/nowhere/x", &profile, &error), -ENOENT);
	assert_string_equal(error.text, "/nowhere/x: No such file or directory: "
					"give a pprof file (.pb.gz)");
	assert_int_equal(pprof_read(scratch_folder, &profile, &error), -EISDIR);
}

static uint8_t *full_packed(size_t *ret_size)
{
	struct profile *profile = samples_full();
	struct error error;

	assert_int_equal(pprof_write(profile, scratch("full.pb.gz"), &error), 0);
	profile_free(profile);
	return scratch_read(scratch("full.pb.gz"), ret_size);
}

static uint8_t *full_plain(size_t *ret_size)
{
	struct error error;
	uint8_t *bytes;

	free(full_packed(ret_size));
	assert_int_equal(unpack_file(scratch("full.pb.gz"), &bytes, ret_size, &error), 0);
	return bytes;
}

/* Shortened from the end, byte after byte. */
static void cut_everywhere(uint8_t *bytes, size_t size)
{
	const char *path = scratch("cut");
	struct profile *profile;
	struct error error;

	scratch_write(path, bytes, size);
	free(bytes);
	assert_int_equal(pprof_read(path, &profile, &error), 0);
	profile_free(profile);
	while (size--) {
		assert_int_equal(truncate(path, (off_t)size), 0);
		assert_int_equal(pprof_read(path, &profile, &error), -EBADMSG);
		assert_non_null(strstr(error.text,
				       size ? "cut: not a profile (" : "cut: the file is empty: "));
	}
}

static void no_beginning_of_a_file_is_a_profile(void **state)
{
	size_t size;
	uint8_t *bytes = full_plain(&size);

	cut_everywhere(bytes, size);
	bytes = full_packed(&size);
	cut_everywhere(bytes, size);
}

static void plain_and_in_pieces_is_the_same(void **state)
{
	struct profile *expected = samples_full(), *profile;
	char command[600];
	struct error error;
	size_t size;
	uint8_t *bytes = full_plain(&size);

	scratch_write(scratch("a"), bytes, 100);
	scratch_write(scratch("b"), bytes + 100, size - 100);
	(void)snprintf(command, sizeof(command), "gzip %s %s && cat %s %s >%s", scratch("a"),
		       scratch("b"), scratch("a.gz"), scratch("b.gz"), scratch("pieces"));
	assert_int_equal(system(command), 0);
	assert_int_equal(pprof_read(scratch("pieces"), &profile, &error), 0);
	samples_equal(expected, profile);
	profile_free(profile);
	profile_free(expected);
	free(bytes);
}

/* Whatever comes of it, each index leads somewhere. */
static void look_at_all(const struct profile *profile)
{
	struct profile_account account;

	profile_account(profile, &account);
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].task != PROFILE_NO_TASK)
			assert_true(profile->cells[i].task < profile->task_count);
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		assert_true(location->mapping < profile->mapping_count);
		assert_true(location->first_line + location->line_count <= profile->line_count);
	}
	for (size_t i = 0; i < profile->line_count; i++)
		assert_true(profile->lines[i].function < profile->function_count);
}

static void read_flipped(const char *path)
{
	struct profile *profile;
	struct error error;
	int ret = pprof_read(path, &profile, &error);

	assert_true(ret == 0 || ret == -EBADMSG);
	if (ret)
		return;
	look_at_all(profile);
	profile_free(profile);
}

static void flipped_bits_do_no_harm(void **state)
{
	uint64_t random = 88172645463325252; /* xorshift, the same bits at each run */
	const char *path = scratch("flipped");
	size_t size;
	uint8_t *bytes = full_plain(&size);
	int fd;

	scratch_write(path, bytes, size);
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 3000; i++) {
		uint8_t flipped;
		off_t place;

		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		place = (off_t)(random % size);
		flipped = bytes[place] ^ (uint8_t)(1u << (random >> 61));
		assert_int_equal(pwrite(fd, &flipped, 1, place), 1);
		read_flipped(path);
		assert_int_equal(pwrite(fd, &bytes[place], 1, place), 1);
	}
	assert_int_equal(close(fd), 0);
	free(bytes);
}

static const char go_source[] =
	"package main\n"
	"import (\"os\"; \"runtime/pprof\"; \"strings\"; \"time\")\n"
	"func main() {\n"
	"	out, _ := os.Create(os.Args[1])\n"
	"	pprof.StartCPUProfile(out)\n"
	"	length := 0\n"
	"	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {\n"
	"		length += len(strings.Repeat(\"x\", 1000))\n"
	"	}\n"
	"	pprof.StopCPUProfile()\n"
	"	out.Close()\n"
	"}\n";

/* However many ticks Go's own profiler took: as many as pprof finds. */
static void a_profile_of_go_itself_can_be_read(void **state)
{
	struct profile_account account;
	struct profile *profile;
	struct error error;
	char command[900];

	go_need();
	scratch_write(scratch("main.go"), go_source, strlen(go_source));
	(void)snprintf(command, sizeof(command),
		       "GOCACHE=%s GOPATH=%s go build -o %s %s >%s 2>&1 && %s %s", scratch("cache"),
		       scratch("path"), scratch("spin"), scratch("main.go"), scratch("out"),
		       scratch("spin"), scratch("go.prof"));
	assert_int_equal(system(command), 0);
	assert_int_equal(pprof_read(scratch("go.prof"), &profile, &error), 0);
	profile_account(profile, &account);
	assert_true(profile->facts.foreign);
	assert_int_equal(profile->facts.period_ns, 10000000);
	assert_int_equal(account.total, go_total(scratch("go.prof"), "samples"));
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_opened_is_told),
		cmocka_unit_test(no_beginning_of_a_file_is_a_profile),
		cmocka_unit_test(plain_and_in_pieces_is_the_same),
		cmocka_unit_test(flipped_bits_do_no_harm),
		cmocka_unit_test(a_profile_of_go_itself_can_be_read),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
