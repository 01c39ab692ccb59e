// SPDX-License-Identifier: BSD-2-Clause
/* Unwind tables on disk: what is read is what was compiled, or nothing; and nobody else's folder is
 * read or written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

#include "unwind/cache.h"
#include "unwind/cache_folder.h"
#include "unwind/load.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#define NOBODY 65534

/* A library with more than 16,384 rows that nobody writes to: the C library. */
static int large_file(void)
{
	Dl_info info;
	int fd;

	assert_true(dladdr((const void *)&qsort, &info));
	fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* The first file in FOLDER, or NULL; how many there are. */
static const char *only_file(const char *folder, int *ret_count)
{
	static char path[512];
	DIR *stream = opendir(folder);
	struct dirent *entry;

	*ret_count = 0;
	while (stream && (entry = readdir(stream))) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		++*ret_count;
	}
	if (stream)
		assert_int_equal(closedir(stream), 0);
	return *ret_count ? path : NULL;
}

static int count_in(const char *folder)
{
	int count;

	(void)only_file(folder, &count);
	return count;
}

static void check_same(const struct unwind_table *a, const struct unwind_table *b)
{
	assert_int_equal(a->row_count, b->row_count);
	assert_int_equal(a->rule_count, b->rule_count);
	assert_int_equal(a->word_size, b->word_size);
	assert_memory_equal(a->rows, b->rows, a->row_count * sizeof(*a->rows));
	assert_memory_equal(a->rules, b->rules, a->rule_count * sizeof(*a->rules));
}

/* The table of the large file with the cache, as it is without. */
static void load_both(void)
{
	struct unwind_table fresh, cached;
	int fd = large_file();

	assert_int_equal(unwind_load(fd, &fresh), 0);
	assert_int_equal(unwind_load_cached(fd, &cached), 0);
	assert_true(fresh.row_count >= 16384);
	check_same(&fresh, &cached);
	unwind_table_done(&fresh);
	unwind_table_done(&cached);
	assert_int_equal(close(fd), 0);
}

static void use(const char *folder)
{
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(setenv("XDG_CACHE_HOME", folder, 1), 0);
	assert_int_equal(setenv("HOME", "/nowhere", 1), 0);
}

/* ---- what is kept ---- */

static void test_is_kept_and_found(void **state)
{
	char folder[128], profil[256];
	uint8_t *before, *after;
	size_t size;
	int count;

	(void)snprintf(folder, sizeof(folder), "%s", scratch("kept"));
	(void)snprintf(profil, sizeof(profil), "%s/profil", folder);
	use(folder);
	load_both();
	assert_int_equal(count_in(profil), 1);
	before = scratch_read(only_file(profil, &count), &size);
	load_both();
	assert_int_equal(count_in(profil), 1);
	after = scratch_read(only_file(profil, &count), &size);
	assert_memory_equal(before, after, size);
	free(before);
	free(after);
}

/* The table in the file, with the key that it has. */
static int parse(uint8_t *bytes, size_t size, const struct unwind_cache_key *key)
{
	struct unwind_table table;
	int ret = unwind_cache_parse(bytes, size, key, &table);

	if (!ret)
		unwind_table_done(&table);
	return ret;
}

static uint8_t *kept_file(size_t *ret_size, struct unwind_cache_key *ret_key)
{
	char profil[256];
	uint8_t *bytes;
	int count;

	(void)snprintf(profil, sizeof(profil), "%s/profil", scratch("kept"));
	bytes = scratch_read(only_file(profil, &count), ret_size);
	*ret_key = ((const struct unwind_cache_head *)(const void *)bytes)->key;
	ret_key->word_size = 0;
	return bytes;
}

/* Any bit that is another, and any end that is missing, is seen. */
static void test_damage_is_seen(void **state)
{
	struct unwind_cache_key key;
	size_t size;
	uint8_t *bytes = kept_file(&size, &key);

	assert_int_equal(parse(bytes, size, &key), 0);
	for (size_t i = 0; i < size; i += i < 256 ? 1 : size / 64) {
		bytes[i] ^= 4;
		assert_int_equal(parse(bytes, size, &key), -EBADMSG);
		bytes[i] ^= 4;
		assert_int_equal(parse(bytes, i, &key), -EBADMSG);
	}
	assert_int_equal(parse(bytes, size, &key), 0);
	free(bytes);
}

/* Another file's, or an older one's under the same name. */
static void test_is_of_one_file(void **state)
{
	struct unwind_cache_key key, others[6];
	size_t size;
	uint8_t *bytes = kept_file(&size, &key);

	for (size_t i = 0; i < 6; i++)
		others[i] = key;
	others[0].device++;
	others[1].inode++;
	others[2].size++;
	others[3].modified_ns++;
	others[4].changed_ns++;
	others[5].maker[0]++;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(parse(bytes, size, &others[i]), -EBADMSG);
	free(bytes);
}

/* What no compiled table has, with the sum that belongs to it. */
static void test_hostile_rows(void **state)
{
	struct unwind_cache_key key;
	size_t size;
	uint8_t *bytes = kept_file(&size, &key);
	struct unwind_cache_head *head = (struct unwind_cache_head *)(void *)bytes;
	struct unwind_row *rows = (struct unwind_row *)(head + 1);
	struct unwind_rule *rules = (struct unwind_rule *)(rows + head->row_count);

#define REFUSED(place, value)                                         \
	do {                                                          \
		typeof(place) was = (place);                          \
                                                                      \
		(place) = (value);                                    \
		head->sum = unwind_cache_sum(bytes, size);            \
		assert_int_equal(parse(bytes, size, &key), -EBADMSG); \
		(place) = was;                                        \
		head->sum = unwind_cache_sum(bytes, size);            \
		assert_int_equal(parse(bytes, size, &key), 0);        \
	} while (0)

	REFUSED(rows[100].offset, rows[99].offset);
	REFUSED(rows[100].rule, (uint16_t)head->rule_count);
	REFUSED(rows[100].back, 101);
	REFUSED(rules[2].cfa_register, UNWIND_OTHER + 16);
	REFUSED(rules[2].flags, 8);
	REFUSED(rules[2].saved[UNWIND_RETURN].where, UNWIND_SAME);
	REFUSED(rules[2].saved[UNWIND_SAVED_BP].where, UNWIND_IN_REGISTER + 1);
	REFUSED(head->key.word_size, 2);
	REFUSED(head->row_count, head->row_count + 5);
	REFUSED(head->row_count, UINT64_MAX / 8);
	REFUSED(head->rule_count, UINT64_MAX / 20);
	free(bytes);
}

/* ---- the folder ---- */

static void test_damaged_file_is_written_again(void **state)
{
	char profil[256];
	uint8_t *bytes;
	size_t size;
	int count;

	(void)snprintf(profil, sizeof(profil), "%s/profil", scratch("kept"));
	assert_int_equal(setenv("XDG_CACHE_HOME", scratch("kept"), 1), 0);
	scratch_write(only_file(profil, &count), "profilU2", 8);
	load_both();
	bytes = scratch_read(only_file(profil, &count), &size);
	assert_true(size > 16384 * sizeof(struct unwind_row));
	free(bytes);
}

/* Nothing is written, and the table is what it is. */
static void check_not_used(const char *profil)
{
	int before = count_in(profil);

	load_both();
	assert_int_equal(count_in(profil), before);
}

static void test_folders_that_are_not_used(void **state)
{
	char folder[128], profil[256];

	(void)snprintf(folder, sizeof(folder), "%s", scratch("open"));
	(void)snprintf(profil, sizeof(profil), "%s/profil", folder);
	use(folder);
	/* Others may write there. */
	assert_int_equal(mkdir(profil, 0700), 0);
	assert_int_equal(chmod(profil, 0777), 0);
	assert_int_equal(unwind_cache_folder(), -1);
	check_not_used(profil);
	/* It leads elsewhere. */
	assert_int_equal(rmdir(profil), 0);
	assert_int_equal(mkdir(scratch("elsewhere"), 0700), 0);
	assert_int_equal(symlink(scratch("elsewhere"), profil), 0);
	assert_int_equal(unwind_cache_folder(), -1);
	check_not_used(scratch("elsewhere"));
	/* It is a relative path, which is none. */
	assert_int_equal(setenv("XDG_CACHE_HOME", "kept", 1), 0);
	assert_int_equal(unwind_cache_folder(), -1);
}

/* sudo may leave HOME as it was: nothing of root's may come to stand there. */
static void test_homes_of_others(void **state)
{
	if (geteuid())
		skip();
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(mkdir(scratch("home"), 0755), 0);
	assert_int_equal(chown(scratch("home"), NOBODY, NOBODY), 0);
	assert_int_equal(setenv("HOME", scratch("home"), 1), 0);
	assert_int_equal(unwind_cache_folder(), -1);
	assert_int_equal(count_in(scratch("home")), 0);
	assert_int_equal(access(scratch("home/.cache"), F_OK), -1);
	/* And where XDG_CACHE_HOME is another's, too. */
	assert_int_equal(setenv("XDG_CACHE_HOME", scratch("home"), 1), 0);
	check_not_used(scratch("home"));
	/* And without either. */
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_int_equal(unwind_cache_folder(), -1);
	load_both();
}

/* The usual place is made where it is not there. */
static void test_usual_place(void **state)
{
	assert_int_equal(unsetenv("XDG_CACHE_HOME"), 0);
	assert_int_equal(mkdir(scratch("mine"), 0755), 0);
	assert_int_equal(setenv("HOME", scratch("mine"), 1), 0);
	load_both();
	assert_int_equal(count_in(scratch("mine/.cache/profil")), 1);
}

static void test_oldest_go(void **state)
{
	static const char *const names[] = {"b", "c", "a", "d"};
	char bytes[1000] = {0};
	int folder;

	assert_int_equal(mkdir(scratch("full"), 0700), 0);
	folder = open(scratch("full"), O_RDONLY | O_DIRECTORY);
	assert_true(folder >= 0);
	for (int i = 0; i < 4; i++) {
		struct timespec times[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
		char path[256];

		(void)snprintf(path, sizeof(path), "%s/%s", scratch("full"), names[i]);
		scratch_write(path, bytes, sizeof(bytes));
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	unwind_cache_trim(folder, 4000);
	assert_int_equal(count_in(scratch("full")), 4);
	unwind_cache_trim(folder, 2999);
	assert_int_equal(faccessat(folder, "b", F_OK, 0), -1);
	assert_int_equal(faccessat(folder, "c", F_OK, 0), -1);
	assert_int_equal(faccessat(folder, "a", F_OK, 0), 0);
	assert_int_equal(faccessat(folder, "d", F_OK, 0), 0);
	assert_int_equal(close(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_kept_and_found),
		cmocka_unit_test(test_damage_is_seen),
		cmocka_unit_test(test_is_of_one_file),
		cmocka_unit_test(test_hostile_rows),
		cmocka_unit_test(test_damaged_file_is_written_again),
		cmocka_unit_test(test_folders_that_are_not_used),
		cmocka_unit_test(test_homes_of_others),
		cmocka_unit_test(test_usual_place),
		cmocka_unit_test(test_oldest_go),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
