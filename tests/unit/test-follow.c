// SPDX-License-Identifier: BSD-2-Clause
#include "profile/follow.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "scratch.h"

#define STRANGER 65533

static void expect_at(const char *path, const char *behind, bool is_there)
{
	struct followed followed;
	struct error why;

	assert_int_equal(follow(path, &followed, &why), 0);
	assert_string_equal(followed.path, behind);
	assert_int_equal(followed.is_there, is_there);
	assert_false(followed.is_special || followed.is_folder || followed.is_magic);
	free(followed.path);
}

static int refused(const char *path, const char *words)
{
	struct followed followed;
	struct error why = {""};
	int r = follow(path, &followed, &why);

	assert_true(r < 0);
	assert_non_null(strstr(why.text, words));
	return r;
}

static void links_of_ones_own_are_followed(void **state)
{
	assert_int_equal(symlink("b", scratch("a")), 0);
	assert_int_equal(symlink(scratch("c"), scratch("b")), 0);
	expect_at(scratch("a"), scratch("c"), false);
	scratch_write(scratch("c"), "", 0);
	expect_at(scratch("a"), scratch("c"), true);
	expect_at(scratch("c"), scratch("c"), true);
	expect_at("no-such-file", "no-such-file", false);
}

static void links_in_a_ring_end(void **state)
{
	assert_int_equal(symlink("two", scratch("one")), 0);
	assert_int_equal(symlink("one", scratch("two")), 0);
	assert_int_equal(refused(scratch("one"), "Too many levels"), -ELOOP);
}

static void what_is_no_file_is_told(void **state)
{
	struct followed followed;
	struct error why;
	int ends[2];
	char path[64];

	assert_int_equal(follow(scratch_folder, &followed, &why), 0);
	assert_true(followed.is_folder && !followed.is_special);
	free(followed.path);
	assert_int_equal(follow("/dev/null", &followed, &why), 0);
	assert_true(followed.is_special && !followed.is_magic);
	free(followed.path);
	assert_int_equal(pipe(ends), 0);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
	assert_int_equal(follow(path, &followed, &why), 0);
	assert_true(followed.is_special && followed.is_magic);
	free(followed.path);
	assert_int_equal(refused("", "No such file"), -ENOENT);
	assert_int_equal(refused(scratch("c/d"), "Not a directory"), -ENOTDIR);
}

/* A folder open to all, in which NAME belongs to somebody else. */
static void give_away(const char *name, mode_t folder)
{
	assert_int_equal(chmod(scratch_folder, folder), 0);
	assert_int_equal(lchown(scratch(name), STRANGER, STRANGER), 0);
}

static void strangers_links_are_not(void **state)
{
	if (geteuid())
		skip();
	scratch_write(scratch("victim"), "", 0);
	assert_int_equal(symlink("victim", scratch("planted")), 0);
	assert_int_equal(symlink("planted", scratch("own")), 0);
	assert_int_equal(mkfifo(scratch("pipe"), 0666), 0);
	give_away("pipe", 01777);
	give_away("planted", 01777);
	assert_int_equal(refused(scratch("planted"), "another user's symbolic link"), -EACCES);
	assert_int_equal(refused(scratch("own"), "another user's symbolic link"), -EACCES);
	assert_int_equal(refused(scratch("pipe"), "another user's pipe"), -EACCES);
	give_away("planted", 0777);
	assert_int_equal(refused(scratch("planted"), "another user's symbolic link"), -EACCES);
	/* Nobody but the folder's owner could have put it there. */
	give_away("planted", 0755);
	expect_at(scratch("planted"), scratch("victim"), true);
	assert_int_equal(chown(scratch_folder, STRANGER, STRANGER), 0);
	give_away("planted", 01777);
	expect_at(scratch("planted"), scratch("victim"), true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_of_ones_own_are_followed),
		cmocka_unit_test(links_in_a_ring_end),
		cmocka_unit_test(what_is_no_file_is_told),
		cmocka_unit_test(strangers_links_are_not),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
