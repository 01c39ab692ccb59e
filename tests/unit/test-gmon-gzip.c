// SPDX-License-Identifier: BSD-2-Clause
/* What a handler writes a profile with, beside what it may not call: zlib unpacks what gzip.c has
 * stored, and places_sort() orders as qsort() does. */
#include "gmon/gzip.h"
#include "gmon/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define BYTES 100000

static void write_stored(const char *path, const uint8_t *bytes, size_t size, size_t step)
{
	struct text name = {.length = 0};
	struct output output;
	struct gzip gzip;

	text_add(&name, path);
	assert_int_equal(output_open(&output, &name), 0);
	gzip_open(&gzip, &output);
	for (size_t at = 0; at < size; at += step)
		gzip_bytes(&gzip, bytes + at, size - at < step ? size - at : step);
	gzip_close(&gzip);
	assert_int_equal(output_close(&output, &name), 0);
}

/* zlib looks at the sum and the size at the end; it would also read what is not packed at all. */
static void check_unpacks(const char *path, const uint8_t *bytes, size_t size)
{
	uint8_t *found = malloc(size + 1);
	gzFile file = gzopen(path, "rb");

	assert_non_null(found);
	assert_non_null(file);
	assert_int_equal(gzread(file, found, (unsigned)size + 1), size);
	assert_false(gzdirect(file));
	assert_memory_equal(found, bytes, size);
	assert_int_equal(gzclose_r(file), Z_OK);
	free(found);
}

/* Sizes about those of a block, in steps that do and do not divide it. */
static void test_stored(void **state)
{
	static const size_t sizes[] = {0, 1, 8191, 8192, 8193, 16384, BYTES};
	static const size_t steps[] = {1, 7, 4096, BYTES};
	char path[] = "/tmp/profil-gzip-XXXXXX";
	uint8_t *bytes = malloc(BYTES);

	assert_non_null(bytes);
	assert_true(mkstemp(path) >= 0);
	srandom(1);
	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)random();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t j = 0; j < sizeof(steps) / sizeof(*steps); j++) {
			write_stored(path, bytes, sizes[i], steps[j]);
			check_unpacks(path, bytes, sizes[i]);
		}
	(void)unlink(path);
	free(bytes);
}

struct item {
	int key;
	int turn; /* in which it came */
};

static int by_key(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

/* Equal ones stay as they came, which makes the order the only one there is. */
static int by_both(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = by_key(left, right);

	return order ? order : (a->turn > b->turn) - (a->turn < b->turn);
}

static void test_sort(void **state)
{
	enum { MOST = 300 };
	struct item items[MOST], spare[MOST], wanted[MOST];

	srandom(2);
	for (int count = 0; count <= MOST; count++) {
		for (int i = 0; i < count; i++)
			items[i] = wanted[i] = (struct item){(int)(random() % 50), i};
		places_sort(items, spare, (size_t)count, sizeof(*items), by_key);
		qsort(wanted, (size_t)count, sizeof(*wanted), by_both);
		for (int i = 0; i < count; i++)
			assert_int_equal(items[i].turn, wanted[i].turn);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
