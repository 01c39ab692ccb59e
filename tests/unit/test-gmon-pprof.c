// SPDX-License-Identifier: BSD-2-Clause
/* The profile that a handler can write, read back by profil's own reader: it believes the facts,
 * which it does only where their sum agrees, and finds every tick and call. */
#include "gmon/arcs.h"
#include "gmon/objects.h"
#include "gmon/pprof.h"
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PERIOD 1003009

static uintptr_t identity(uintptr_t from, uintptr_t self)
{
	return from;
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

static struct object *library(void)
{
	for (struct object *each = objects_first(); each; each = each->next)
		if (!strncmp(each->name, "libc.so", strlen("libc.so")))
			return each;
	fail_msg("the C library is not among the objects");
	return NULL;
}

static struct profile *write_and_read(const struct pprof_facts *facts)
{
	char path[] = "/tmp/profil-gmon-pprof-XXXXXX";
	struct text name = {.length = 0};
	struct output output;
	struct arcs_table *calls;
	struct profile *profile;
	struct error error = {};
	uint64_t lost;

	assert_true(mkstemp(path) >= 0);
	text_add(&name, path);
	calls = arcs_merge(identity, &lost);
	assert_non_null(calls);
	assert_int_equal(output_open(&output, &name), 0);
	assert_int_equal(pprof_put(&output, calls, facts), 0);
	assert_int_equal(output_close(&output, &name), 0);
	arcs_free(calls);
	assert_int_equal(pprof_read(path, &profile, &error), 0);
	(void)unlink(path);
	return profile;
}

static uint64_t ticks_at(const struct profile *profile, enum profile_class class, uint64_t address)
{
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_location *location =
			&profile->locations[profile->cells[i].location];

		if (profile->mappings[location->mapping].class == class &&
		    location->address == address)
			return profile->cells[i].ticks;
	}
	return 0;
}

static void check_facts(const struct profile *profile, const struct pprof_facts *wanted)
{
	const struct profile_facts *facts = &profile->facts;

	assert_false(facts->foreign);
	assert_string_equal(profile_text(profile, facts->engine), wanted->engine);
	assert_string_not_equal(profile_text(profile, facts->command), "");
	assert_int_equal(facts->period_ns, PERIOD);
	assert_int_equal(facts->time_ns, wanted->began_ns);
	assert_int_equal(facts->duration_ns, wanted->duration_ns);
	assert_int_equal(facts->cpu_ns, wanted->account.cpu_ns);
	assert_int_equal(facts->cell_size, OBJECT_GRANULE);
	assert_int_equal(facts->partial, wanted->is_partial);
}

static void check_identity(const struct profile *profile, uint64_t fired)
{
	struct profile_account account;

	profile_account(profile, &account);
	assert_int_equal(profile->facts.samples, fired);
	assert_int_equal(account.total, fired);
}

/* 5 + 7 in the program, 2^40 in the C library, 11 nowhere and 13 of which nothing more is known. */
static void test_ticks(void **state)
{
	struct object *own = program(), *libc = library();
	const uint64_t many = UINT64_C(1) << 40, all = 5 + 7 + 11 + 13 + many;
	struct pprof_facts facts = {
		.account = {.ticks = all, .outside = 11, .lost = 13, .cpu_ns = 12345},
		.engine = "timer",
		.period_ns = PERIOD,
		.began_ns = INT64_C(1700000000000000000),
		.duration_ns = 77,
	};
	struct profile *profile;

	objects_clear();
	arcs_clear();
	own->cells[0] = 5;
	own->cells[object_cells(own) - 1] = 7;
	libc->cells[4096] = many;
	profile = write_and_read(&facts);
	check_facts(profile, &facts);
	check_identity(profile, all);
	assert_int_equal(profile->call_count, 0);
	assert_int_equal(ticks_at(profile, CLASS_PROGRAM, own->low - own->base), 5);
	assert_int_equal(ticks_at(profile, CLASS_PROGRAM, own->high - own->base - OBJECT_GRANULE),
			 7);
	assert_int_equal(
		ticks_at(profile, CLASS_LIBRARIES, libc->low - libc->base + 4096 * OBJECT_GRANULE),
		many);
	assert_int_equal(ticks_at(profile, CLASS_UNRESOLVED, UNRESOLVED_NO_REGION), 11);
	assert_int_equal(ticks_at(profile, CLASS_UNRESOLVED, UNRESOLVED_LOST), 13);
	profile_free(profile);
}

/* Nothing at all; and where the account is not complete, what the cells hold is all there is. */
static void test_partial(void **state)
{
	struct pprof_facts facts = {.engine = "perf", .period_ns = PERIOD, .is_partial = true};
	struct profile *profile;

	objects_clear();
	arcs_clear();
	profile = write_and_read(&facts);
	check_identity(profile, 0);
	profile_free(profile);
	program()->cells[1] = 3;
	profile = write_and_read(&facts);
	check_facts(profile, &facts);
	check_identity(profile, 3);
	profile_free(profile);
}

/* From the program, from another file and from nowhere to be seen. */
static void test_calls(void **state)
{
	struct object *own = program(), *libc = library();
	uintptr_t self = own->low + 64;
	const uintptr_t callers[] = {own->low + 16, libc->low + 160, 4711};
	struct pprof_facts facts = {.engine = "perf", .period_ns = PERIOD};
	struct profile *profile;
	uint64_t known = 0;

	objects_clear();
	arcs_clear();
	for (int i = 0; i < 3; i++)
		for (int turn = 0; turn <= i; turn++)
			arcs_count(callers[i], self);
	profile = write_and_read(&facts);
	check_facts(profile, &facts);
	check_identity(profile, 0);
	assert_int_equal(profile->call_count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct profile_call *call = &profile->calls[i];
		uint64_t from = call->caller == PROFILE_NO_CALLER
					? 0
					: profile->locations[call->caller].address;

		assert_int_equal(profile->locations[call->callee].address, self - own->base - 1);
		known |= (from == own->low - own->base + 15 && call->count == 1) << 0;
		known |= (from == libc->low - libc->base + 159 && call->count == 2) << 1;
		known |= (!from && call->count == 3) << 2;
	}
	assert_int_equal(known, 7);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
