// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/generated.h"

#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* TICKS in the mapping PATH at an address that is called NAME; NULL: nothing was sought. */
static void add(struct profile *profile, enum profile_class class, const char *path,
		const char *name, uint64_t ticks)
{
	sample_location(profile, LOCATION_ADDRESS, sample_mapping(profile, class, path, "", 0x1000),
			0x1010 + profile->location_count);
	if (name)
		sample_frame(profile, name, "", 0);
	sample_cell(profile, PROFILE_NO_TASK, ticks);
}

/* TICKS of generated code without a name in the process PATH. */
static void add_bare(struct profile *profile, const char *path, uint64_t ticks)
{
	add(profile, CLASS_ANONYMOUS, path, "[anon]+0x1010", ticks);
}

/* PROFILE, which is freed, has generated code without names of RUNTIME alone; NULL: of none. */
static void expect(struct profile *profile, const char *runtime, uint64_t ticks)
{
	struct generated found[RUNTIMES];
	size_t count = generated_find(profile, found);

	assert_int_equal(count, runtime ? 1 : 0);
	if (runtime) {
		assert_string_equal(found->runtime->name, runtime);
		assert_int_equal(found->ticks, ticks);
		/* What is said is what is looked for in the command line, and in the JSON. */
		assert_non_null(strstr(found->runtime->flag, found->runtime->mark));
		assert_non_null(strstr(found->runtime->advice, found->runtime->flag));
	}
	(void)profile_free(profile);
}

static void expect_of(const char *path, const char *runtime)
{
	struct profile *profile = profile_new();

	add_bare(profile, path, 40);
	add(profile, CLASS_KERNEL, "[kernel]", "clear_page", 60);
	expect(profile, runtime, 40);
}

static void test_by_process(void **state)
{
	expect_of("[anon] java (12)", "java");
	expect_of("[anon] node (12)", "node");
	expect_of("[anon] node-MainThread (12)", "node");
	expect_of("[anon] python3.12 (12)", "python");
	expect_of("[anon] dotnet (12)", "dotnet");
	expect_of("[anon] beam.smp (12)", "beam.smp");
	/* Names that are like those, and none at all: nothing is guessed. */
	expect_of("[anon] javac (12)", NULL);
	expect_of("[anon] nodejava (12)", NULL);
	expect_of("[anon] luajit (12)", NULL);
	expect_of("[anon]", NULL);
}

static void expect_with(const char *file, const char *runtime)
{
	struct profile *profile = profile_new();

	add_bare(profile, "[anon] service (12)", 40);
	add(profile, CLASS_LIBRARIES, file, "f", 60);
	expect(profile, runtime, 40);
}

static void test_by_file(void **state)
{
	struct profile *profile;

	expect_with("/usr/lib/jvm/lib/server/libjvm.so", "java");
	expect_with("/usr/lib/libnode.so.108", "node");
	expect_with("/opt/bin/node", "node");
	expect_with("/usr/lib/libpython3.12.so.1.0", "python");
	expect_with("/usr/share/dotnet/shared/libcoreclr.so", "dotnet");
	expect_with("/usr/lib/erlang/erts/bin/beam.smp", "beam.smp");
	expect_with("/usr/lib/libjvmti.so", NULL);

	/* Two runtimes' files, and two processes: whose the code is cannot be known. */
	profile = profile_new();
	add_bare(profile, "[anon] service (12)", 40);
	add(profile, CLASS_LIBRARIES, "/lib/libjvm.so", "f", 30);
	add(profile, CLASS_LIBRARIES, "/lib/libcoreclr.so", "f", 30);
	expect(profile, NULL, 0);
	profile = profile_new();
	add_bare(profile, "[anon] service (12)", 40);
	add_bare(profile, "[anon] luajit (13)", 40);
	add(profile, CLASS_LIBRARIES, "/lib/libjvm.so", "f", 30);
	expect(profile, NULL, 0);
}

static void test_has_names(void **state)
{
	struct profile *profile = profile_new();

	/* A map was there; it has not all. */
	add(profile, CLASS_ANONYMOUS, "[anon] java (12)", "J.fib", 50);
	add_bare(profile, "[anon] java (12)", 49);
	expect(profile, NULL, 0);

	/* Names were not sought; those of another tool are not there. */
	profile = profile_new();
	add(profile, CLASS_ANONYMOUS, "[anon] java (12)", NULL, 50);
	expect(profile, NULL, 0);
	profile = profile_new();
	add(profile, CLASS_ANONYMOUS, "[anon]", NULL, 50);
	add(profile, CLASS_LIBRARIES, "/lib/libjvm.so", "f", 30);
	expect(profile, "java", 50);
}

static void test_little(void **state)
{
	struct profile *profile = profile_new();

	add_bare(profile, "[anon] java (12)", 9);
	add(profile, CLASS_KERNEL, "[kernel]", "clear_page", 991);
	expect(profile, NULL, 0);
	profile = profile_new();
	add_bare(profile, "[anon] java (12)", 10);
	add(profile, CLASS_KERNEL, "[kernel]", "clear_page", 990);
	expect(profile, "java", 10);
}

/* The flag was given; the map is not here for another reason. */
static void test_flagged(void **state)
{
	struct profile *profile = profile_new();

	add_bare(profile, "[anon] node (12)", 50);
	profile->facts.command = sample_string(profile, "node --perf-basic-prof x.js");
	expect(profile, NULL, 0);
	profile = profile_new();
	add_bare(profile, "[anon] node (12)", 50);
	profile->facts.command = sample_string(profile, "node x.js");
	expect(profile, "node", 50);
}

static void test_several(void **state)
{
	struct profile *profile = profile_new();
	struct generated found[RUNTIMES];

	add_bare(profile, "[anon] node (12)", 20);
	add_bare(profile, "[anon] java (13)", 30);
	add_bare(profile, "[anon] java (14)", 40);
	assert_int_equal(generated_find(profile, found), 2);
	assert_string_equal(found[0].runtime->name, "java");
	assert_int_equal(found[0].ticks, 70);
	assert_string_equal(found[1].runtime->name, "node");
	assert_int_equal(found[1].ticks, 20);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_process), cmocka_unit_test(test_by_file),
		cmocka_unit_test(test_has_names),  cmocka_unit_test(test_little),
		cmocka_unit_test(test_flagged),	   cmocka_unit_test(test_several),
	};

	return cmocka_run_group_tests_name("generated", tests, NULL, NULL);
}
