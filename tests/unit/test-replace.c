// SPDX-License-Identifier: BSD-2-Clause
#include "profile/replace.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "scratch.h"

#include <sys/wait.h>

#define NOBODY 65534
#define SOMEBODY 65533

static void holds(const char *path, const char *text)
{
	size_t size;
	uint8_t *bytes = scratch_read(path, &size);

	assert_int_equal(size, strlen(text));
	assert_memory_equal(bytes, text, size);
	free(bytes);
}

static int put(const char *path, const char *text, unsigned how)
{
	struct replace replace;
	struct error why;
	int ret = replace_open(&replace, path, how, &why);

	if (ret)
		return ret;
	assert_int_equal(write(replace.fd, text, strlen(text)), strlen(text));
	return replace_commit(&replace);
}

static struct stat status_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	return status;
}

static void the_one_before_is_kept_when_asked(void **state)
{
	const char *path = scratch("k.pb.gz"), *old = scratch("k.old.pb.gz");

	assert_int_equal(put(path, "one", REPLACE_KEEP), 0);
	assert_int_equal(access(old, F_OK), -1);
	assert_int_equal(put(path, "two", REPLACE_KEEP), 0);
	holds(path, "two");
	holds(old, "one");
	assert_int_equal(put(path, "three", REPLACE_KEEP), 0);
	holds(path, "three");
	holds(old, "two");
	assert_int_equal(put(path, "four", 0), 0);
	holds(old, "two");
}

static void an_empty_one_is_not_kept(void **state)
{
	scratch_write(scratch("empty"), "", 0);
	assert_int_equal(put(scratch("empty"), "one", REPLACE_KEEP), 0);
	assert_int_equal(access(scratch("empty.old"), F_OK), -1);
}

static void nothing_moves_before_the_new_one_is_whole(void **state)
{
	const char *path = scratch("w"), *old = scratch("w.old");
	struct replace replace;
	struct error why;

	scratch_write(path, "one", 3);
	scratch_write(old, "zero", 4);
	assert_int_equal(replace_check(path, REPLACE_KEEP, &why), 0);
	assert_int_equal(replace_open(&replace, path, REPLACE_KEEP, &why), 0);
	holds(path, "one");
	holds(old, "zero");
	replace_abandon(&replace);
	holds(path, "one");
	holds(old, "zero");
}

static void behind_a_link_it_is_kept_beside_the_file(void **state)
{
	assert_int_equal(mkdir(scratch("far"), 0755), 0);
	scratch_write(scratch("far/p.pb.gz"), "one", 3);
	assert_int_equal(symlink("far/p.pb.gz", scratch("link")), 0);
	assert_int_equal(put(scratch("link"), "two", REPLACE_KEEP), 0);
	assert_true(S_ISLNK(status_of(scratch("link")).st_mode));
	holds(scratch("far/p.pb.gz"), "two");
	holds(scratch("far/p.old.pb.gz"), "one");
}

static void what_is_private_is_its_owners(void **state)
{
	mode_t umask_before = umask(022);

	assert_int_equal(put(scratch("m"), "x", REPLACE_PRIVATE), 0);
	assert_int_equal(status_of(scratch("m")).st_mode & 07777, 0600);
	assert_int_equal(put(scratch("m"), "x", 0), 0);
	assert_int_equal(status_of(scratch("m")).st_mode & 07777, 0644);
	umask(0277);
	assert_int_equal(put(scratch("m"), "x", REPLACE_PRIVATE), 0);
	assert_int_equal(status_of(scratch("m")).st_mode & 07777, 0400);
	umask(umask_before);
}

static void owner_is(const char *path, uid_t uid, gid_t gid)
{
	struct stat status = status_of(path);

	assert_int_equal(status.st_uid, uid);
	assert_int_equal(status.st_gid, gid);
}

/* What root writes for who called sudo. */
static void behind_sudo_it_is_the_callers(void **state)
{
	if (geteuid())
		skip();
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65533", 1);
	assert_int_equal(put(scratch("s"), "new", REPLACE_PRIVATE), 0);
	owner_is(scratch("s"), NOBODY, SOMEBODY);
	assert_int_equal(put(scratch("s"), "his", 0), 0);
	owner_is(scratch("s"), NOBODY, SOMEBODY);
	scratch_write(scratch("roots"), "x", 1);
	assert_int_equal(put(scratch("roots"), "root's", REPLACE_KEEP), 0);
	owner_is(scratch("roots"), 0, 0);
	assert_int_equal(chown(scratch("roots"), SOMEBODY, SOMEBODY), 0);
	assert_int_equal(put(scratch("roots"), "another's", REPLACE_KEEP), 0);
	owner_is(scratch("roots"), 0, 0);
	for (size_t i = 0; i < 3; i++) {
		setenv("SUDO_UID", (const char *[]){"0", "-1", "4294967295"}[i], 1);
		assert_int_equal(put(scratch("odd"), "x", 0), 0);
		owner_is(scratch("odd"), 0, 0);
	}
	unsetenv("SUDO_UID");
	assert_int_equal(put(scratch("no-sudo"), "x", 0), 0);
	owner_is(scratch("no-sudo"), 0, 0);
	unsetenv("SUDO_GID");
}

static int check(const char *path, unsigned how, const char *words)
{
	struct error why = {""};
	int ret = replace_check(path, how, &why);

	assert_true(!ret || strstr(why.text, words));
	return ret;
}

/* In a process of nobody's; returns errno of the check. */
static int check_as_nobody(const char *path, unsigned how)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(255);
		_exit(-replace_check(path, how, &(struct error){""}));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void what_could_not_be_replaced_is_refused_before(void **state)
{
	if (geteuid())
		skip();
	assert_int_equal(chmod(scratch_folder, 0755), 0);
	assert_int_equal(mkdir(scratch("sticky"), 0777), 0);
	assert_int_equal(chmod(scratch("sticky"), 01777), 0);
	scratch_write(scratch("sticky/p"), "somebody's", 10);
	assert_int_equal(chmod(scratch("sticky/p"), 0666), 0);
	assert_int_equal(chown(scratch("sticky/p"), SOMEBODY, SOMEBODY), 0);
	assert_int_equal(check_as_nobody(scratch("sticky/p"), 0), EPERM);
	assert_int_equal(check_as_nobody(scratch("sticky/new"), REPLACE_KEEP), 0);
	/* Root has CAP_FOWNER. */
	assert_int_equal(check(scratch("sticky/p"), REPLACE_KEEP, ""), 0);
	/* One's own file, where the one before would take the place of another's. */
	scratch_write(scratch("sticky/own"), "x", 1);
	assert_int_equal(chown(scratch("sticky/own"), NOBODY, NOBODY), 0);
	assert_int_equal(check_as_nobody(scratch("sticky/own"), REPLACE_KEEP), 0);
	scratch_write(scratch("sticky/own.old"), "x", 1);
	assert_int_equal(check_as_nobody(scratch("sticky/own"), REPLACE_KEEP), EPERM);
	assert_int_equal(check_as_nobody(scratch("sticky/own"), 0), 0);
	/* Without the bit whoever may write to the folder may. */
	assert_int_equal(chmod(scratch("sticky"), 0777), 0);
	assert_int_equal(check_as_nobody(scratch("sticky/p"), 0), 0);
	/* The folder's owner may, too. */
	assert_int_equal(chmod(scratch("sticky"), 01777), 0);
	assert_int_equal(chown(scratch("sticky"), NOBODY, NOBODY), 0);
	assert_int_equal(check_as_nobody(scratch("sticky/p"), 0), 0);
}

static void a_folder_in_its_place_is_refused_before(void **state)
{
	assert_int_equal(mkdir(scratch("folder"), 0755), 0);
	assert_int_equal(check(scratch("folder"), 0, "Is a directory"), -EISDIR);
	scratch_write(scratch("p.pb"), "x", 1);
	assert_int_equal(mkdir(scratch("p.old.pb"), 0755), 0);
	assert_int_equal(check(scratch("p.pb"), REPLACE_KEEP, "p.old.pb: a folder"), -EISDIR);
	assert_int_equal(check(scratch("p.pb"), 0, ""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_one_before_is_kept_when_asked),
		cmocka_unit_test(an_empty_one_is_not_kept),
		cmocka_unit_test(nothing_moves_before_the_new_one_is_whole),
		cmocka_unit_test(behind_a_link_it_is_kept_beside_the_file),
		cmocka_unit_test(what_is_private_is_its_owners),
		cmocka_unit_test(behind_sudo_it_is_the_callers),
		cmocka_unit_test(what_could_not_be_replaced_is_refused_before),
		cmocka_unit_test(a_folder_in_its_place_is_refused_before),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
