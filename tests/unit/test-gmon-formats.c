// SPDX-License-Identifier: BSD-2-Clause
/* Counts that a record of gmon.out cannot hold are split over several, and gprof, the real one,
 * reads their sum: this program gives its own functions ticks and calls, and has gprof look at
 * itself. */
#include "gmon/arcs.h"
#include "gmon/formats.h"
#include "gmon/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TICKS 200123
#define CALLS 5000000000

void gmon_called(void);
void gmon_caller(void);

__attribute__((noinline)) void gmon_called(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

__attribute__((noinline)) void gmon_caller(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

static struct object *program(void)
{
	assert_true(objects_update(0, 0) >= 0);
	for (struct object *each = objects_first(); each; each = each->next)
		if (each->is_program)
			return each;
	fail_msg("the program is not among its objects");
	return NULL;
}

static uintptr_t identity(uintptr_t from, uintptr_t self)
{
	return from;
}

static void write_file(const char *path, const struct gmon_format *format,
		       const struct object *object, const struct arcs_table *calls)
{
	struct text name = {.length = 0};
	struct output output;

	text_add(&name, path);
	assert_int_equal(output_open(&output, &name), 0);
	gmon_format_write(format, &output, object, calls, /* hertz= */ 1000);
	assert_int_equal(output_close(&output, &name), 0);
}

/* gprof's row of gmon_called: seconds of its own, calls. */
static void read_row(const char *path, const char *options, double *ret_seconds,
		     unsigned long *ret_calls)
{
	char command[256], line[256];
	bool found = false;
	FILE *gprof;

	(void)snprintf(command, sizeof(command), "gprof -b -p %s /proc/%d/exe %s 2>&1", options,
		       (int)getpid(), path);
	gprof = popen(command, "r");
	assert_non_null(gprof);
	while (fgets(line, sizeof(line), gprof))
		if (strstr(line, " gmon_called"))
			found = sscanf(line, "%*f %*f %lf %lu", ret_seconds, ret_calls) == 2;
	assert_int_equal(pclose(gprof), 0);
	assert_true(found);
}

/* Two neighbours with as many ticks: each in cells that overflow by themselves. */
static void test_large_counts(void **state)
{
	uintptr_t called = (uintptr_t)gmon_called + 16, caller = (uintptr_t)gmon_caller + 16;
	char path[] = "/tmp/profil-gmon-XXXXXX";
	struct object *object = program();
	struct arcs_table *calls;
	unsigned long count;
	uint64_t lost;
	double seconds;

	assert_true(mkstemp(path) >= 0);
	assert_ptr_equal(objects_at(called), object);
	object->cells[(called - object->low) / OBJECT_GRANULE] = TICKS;
	object->cells[(called - object->low) / OBJECT_GRANULE + 1] = 65535;
	object->cells[(caller - object->low) / OBJECT_GRANULE] = 65536;
	arcs_count(caller, called);
	calls = arcs_merge(identity, &lost);
	assert_non_null(calls);
	assert_int_equal(lost, 0);
	for (uint32_t i = 0; i < arcs_used(calls); i++)
		if (calls->arcs[i].count)
			calls->arcs[i].count = CALLS;

	write_file(path, &gmon_formats[0], object, calls);
	read_row(path, "", &seconds, &count);
	assert_int_equal((long)(seconds * 100 + 0.5), (TICKS + 65535 + 5) / 10);
	assert_int_equal(count, CALLS);

	/* 4.4BSD has one record of 16 bits, which stays full, and 64 bits for calls. */
	write_file(path, &gmon_formats[1], object, calls);
	read_row(path, "-O4.4bsd", &seconds, &count);
	assert_int_equal((long)(seconds * 100 + 0.5), 2 * 65535 / 10);
	assert_int_equal(count, CALLS);
	arcs_free(calls);
	(void)unlink(path);
}

/* Every arc of many is found again, in however many tables. */
static void test_growth(void **state)
{
	enum { ARCS = 50000, TURNS = 3 };
	struct arcs_table *calls;
	uint64_t lost, arcs = 0;

	arcs_clear();
	for (int turn = 0; turn < TURNS; turn++)
		for (uintptr_t i = 0; i < ARCS; i++)
			arcs_count(1000 + i * 5, 0x10000 + i % 300 * 64);
	calls = arcs_merge(identity, &lost);
	assert_non_null(calls);
	assert_int_equal(lost, 0);
	for (uint32_t i = 0; i < arcs_used(calls); i++) {
		if (!calls->arcs[i].count)
			continue;
		assert_int_equal(calls->arcs[i].count, TURNS);
		arcs++;
	}
	assert_int_equal(arcs, ARCS);
	arcs_free(calls);
}

/* One pointer that calls everything: its arcs share what spreads them. */
static void test_one_caller(void **state)
{
	enum { CALLED = 5000 };
	struct arcs_table *calls;
	uint64_t lost, arcs = 0;

	arcs_clear();
	for (uintptr_t i = 0; i < CALLED; i++)
		arcs_count(4242, 0x20000 + i * 16);
	calls = arcs_merge(identity, &lost);
	assert_non_null(calls);
	assert_int_equal(lost, 0);
	for (uint32_t i = 0; i < arcs_used(calls); i++)
		arcs += calls->arcs[i].count;
	assert_int_equal(arcs, CALLED);
	arcs_free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large_counts),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_one_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
