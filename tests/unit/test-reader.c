// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/proto.h"
#include "scratch.h"

#include <errno.h>
#include <string.h>

/* Files of other programs, made by hand. */

struct bytes {
	uint8_t items[4096];
	size_t count;
};

static void put_raw(struct bytes *bytes, const void *raw, size_t size)
{
	assert_true(bytes->count + size <= sizeof(bytes->items));
	memcpy(bytes->items + bytes->count, raw, size);
	bytes->count += size;
}

static void put_varint(struct bytes *bytes, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_raw(bytes, &(uint8_t){(uint8_t)value | 0x80}, 1);
	put_raw(bytes, &(uint8_t){(uint8_t)value}, 1);
}

static void put_number(struct bytes *bytes, uint32_t field, uint64_t value)
{
	put_varint(bytes, field << 3 | PROTO_VARINT);
	put_varint(bytes, value);
}

static void put_part(struct bytes *bytes, uint32_t field, const void *part, size_t size)
{
	struct proto head = PROTO(PROTO_HEAD_MAX);

	proto_head(&head, field, size);
	put_raw(bytes, head.bytes, head.used);
	put_raw(bytes, part, size);
}

/* A message of numbers: {field, value} pairs, ended by field 0. */
static void put_message(struct bytes *bytes, uint32_t field, const uint64_t (*pairs)[2])
{
	struct bytes message = {.count = 0};

	for (; (*pairs)[0]; pairs++)
		put_number(&message, (uint32_t)(*pairs)[0], (*pairs)[1]);
	put_part(bytes, field, message.items, message.count);
}

#define MESSAGE(bytes, field, ...) \
	put_message(bytes, field, (const uint64_t[][2]){__VA_ARGS__, {0, 0}})

enum text {
	EMPTY,
	SAMPLES,
	COUNT,
	CPU,
	NANOSECONDS,
	PROGRAM,
	LIBRARY,
	KERNEL,
	VDSO,
	MAIN,
	PID,
	PROCESS,
	NAME,
	TEXTS,
};

static void put_texts(struct bytes *bytes)
{
	static const char *const texts[TEXTS] = {"",
						 "samples",
						 "count",
						 "cpu",
						 "nanoseconds",
						 "/bin/prog",
						 "/lib/lib.so",
						 "[kernel.kallsyms]",
						 "[vdso]",
						 "main",
						 "pid",
						 "process",
						 "the name"};

	for (size_t i = 0; i < TEXTS; i++)
		put_part(bytes, 6, texts[i], strlen(texts[i]));
}

static void put_places(struct bytes *bytes)
{
	MESSAGE(bytes, 3, {1, 70}, {2, 0x400000}, {3, 0x500000}, {5, PROGRAM});
	MESSAGE(bytes, 3, {1, 60}, {2, 0x600000}, {3, 0x700000}, {5, LIBRARY});
	MESSAGE(bytes, 3, {1, 50}, {5, KERNEL});
	MESSAGE(bytes, 3, {1, 40}, {5, VDSO});
	MESSAGE(bytes, 5, {1, UINT64_MAX}, {2, MAIN}, {3, MAIN}, {5, 3});
	for (uint64_t id = 1; id <= 4; id++)
		MESSAGE(bytes, 4, {1, 1000 - id}, {2, 80 - 10 * id}, {3, 0x400000 + id});
	MESSAGE(bytes, 4, {1, 5}, {3, 0x99});
}

/* A stack, innermost first; one value of each type. */
static void put_sample(struct bytes *bytes, uint64_t leaf, uint64_t ticks, uint64_t time)
{
	MESSAGE(bytes, 2, {1, leaf}, {1, 999}, {2, ticks}, {2, time});
}

static void put_types(struct bytes *bytes)
{
	MESSAGE(bytes, 1, {1, CPU}, {2, NANOSECONDS});
	MESSAGE(bytes, 1, {1, SAMPLES}, {2, COUNT});
	MESSAGE(bytes, 11, {1, CPU}, {2, NANOSECONDS});
	put_number(bytes, 12, 10000000);
}

static int read_bytes(const struct bytes *bytes, struct profile **ret_profile, struct error *reterr)
{
	scratch_write(scratch("made.pb"), bytes->items, bytes->count);
	return pprof_read(scratch("made.pb"), ret_profile, reterr);
}

static void another_programs_profile_is_understood(void **state)
{
	struct bytes bytes = {.count = 0};
	struct profile_account account;
	struct profile *profile;
	struct error error;

	put_sample(&bytes, 999, 10000000, 1);
	put_sample(&bytes, 998, 20000000, 2);
	put_sample(&bytes, 997, 40000000, 4);
	put_sample(&bytes, 996, 80000000, 8);
	put_sample(&bytes, 5, 160000000, 16);
	put_sample(&bytes, 998, 320000000, 32);
	MESSAGE(&bytes, 2, {2, 640000000}, {2, 64});
	put_types(&bytes);
	put_texts(&bytes);
	put_places(&bytes);
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	profile_account(profile, &account);
	assert_true(profile->facts.foreign);
	assert_int_equal(profile->facts.samples, 127);
	assert_int_equal(profile->facts.period_ns, 10000000);
	assert_int_equal(account.total, 127);
	assert_int_equal(account.ticks[CLASS_PROGRAM], 1);
	assert_int_equal(account.ticks[CLASS_LIBRARIES], 34);
	assert_int_equal(account.ticks[CLASS_KERNEL], 4);
	assert_int_equal(account.ticks[CLASS_VDSO], 8);
	assert_int_equal(account.ticks[CLASS_ANONYMOUS], 80);
	assert_int_equal(profile->cell_count, 6);
	assert_int_equal(profile->cells[0].task, PROFILE_NO_TASK);
	/* All but the sample of no place were called by the first place. */
	assert_int_equal(profile->context_count, 1);
	assert_int_equal(profile->contexts[0].location, 0);
	for (size_t i = 0; i < profile->cell_count; i++) {
		assert_int_equal(profile->cells[i].context, i < 5);
		assert_int_equal(profile->cells[i].stack_end, STACK_WHOLE);
	}
	profile_free(profile);
}

static void nanoseconds_alone_are_divided(void **state)
{
	struct bytes bytes = {.count = 0};
	struct profile *profile;
	struct error error;

	MESSAGE(&bytes, 1, {1, CPU}, {2, NANOSECONDS});
	MESSAGE(&bytes, 11, {1, CPU}, {2, NANOSECONDS});
	put_number(&bytes, 12, 10000000);
	put_texts(&bytes);
	put_places(&bytes);
	MESSAGE(&bytes, 2, {1, 999}, {2, 70000000});
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	assert_int_equal(profile->facts.samples, 7);
	profile_free(profile);
}

static void ticks_are_held_at_the_most_there_can_be(void **state)
{
	struct bytes bytes = {.count = 0};
	struct profile_account account;
	struct profile *profile;
	struct error error;

	put_types(&bytes);
	put_texts(&bytes);
	put_places(&bytes);
	put_sample(&bytes, 999, 1, INT64_MAX - 1);
	put_sample(&bytes, 998, 1, INT64_MAX - 1);
	put_sample(&bytes, 998, 1, 2);
	put_sample(&bytes, 997, 1, INT64_MAX);
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	profile_account(profile, &account);
	assert_int_equal(profile->cells[0].ticks, INT64_MAX - 1);
	assert_int_equal(profile->cells[1].ticks, INT64_MAX);
	assert_int_equal(account.total, INT64_MAX);
	assert_int_equal(profile->facts.samples, INT64_MAX);
	profile_free(profile);
}

static void the_event_is_what_the_period_counts(void **state)
{
	struct bytes bytes = {.count = 0};
	struct profile *profile;
	struct error error;

	put_types(&bytes);
	put_texts(&bytes);
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	assert_string_equal(profile_text(profile, profile->facts.event), "cpu");
	profile_free(profile);

	bytes.count = 0;
	MESSAGE(&bytes, 1, {1, SAMPLES}, {2, COUNT});
	MESSAGE(&bytes, 11, {1, SAMPLES}, {2, COUNT});
	put_number(&bytes, 12, 4096);
	put_texts(&bytes);
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	assert_string_equal(profile_text(profile, profile->facts.event),
			    "samples, every 4096 count");
	profile_free(profile);
}

static void labels_make_tasks(void **state)
{
	struct bytes bytes = {.count = 0}, sample = {.count = 0};
	const struct profile_task *task;
	struct profile *profile;
	struct error error;

	put_types(&bytes);
	put_texts(&bytes);
	put_places(&bytes);
	put_number(&sample, 1, 999);
	put_number(&sample, 2, 1);
	put_number(&sample, 2, 1);
	MESSAGE(&sample, 3, {1, PID}, {3, 1234});
	MESSAGE(&sample, 3, {1, PROCESS}, {2, NAME});
	put_part(&bytes, 2, sample.items, sample.count);
	assert_int_equal(read_bytes(&bytes, &profile, &error), 0);
	assert_int_equal(profile->task_count, 1);
	task = &profile->tasks[profile->cells[0].task];
	assert_int_equal(task->pid, 1234);
	assert_int_equal(task->tid, 0);
	assert_string_equal(profile_text(profile, task->name), "the name");
	profile_free(profile);
}

/* ---- bad files ---- */

static void refused(const struct bytes *bytes, const char *why)
{
	struct profile *profile;
	struct error error;
	char sentence[1024];

	(void)snprintf(sentence, sizeof(sentence),
		       "%s: not a profile (%s): give a pprof file (.pb.gz)", scratch("made.pb"),
		       why);
	assert_int_equal(read_bytes(bytes, &profile, &error), -EBADMSG);
	assert_string_equal(error.text, sentence);
}

static struct bytes good(void)
{
	struct bytes bytes = {.count = 0};

	put_types(&bytes);
	put_texts(&bytes);
	put_places(&bytes);
	put_sample(&bytes, 999, 1, 1);
	return bytes;
}

static void each_lie_is_found(void **state)
{
	struct bytes bytes;

	bytes = good(), put_sample(&bytes, 4711, 1, 1);
	refused(&bytes, "a location that is not there");
	bytes = good(), MESSAGE(&bytes, 2, {1, 999}, {1, 4711}, {2, 1}, {2, 1});
	refused(&bytes, "a location that is not there");
	bytes = good(), put_sample(&bytes, 999, 1, (uint64_t)-1);
	refused(&bytes, "a negative value");
	bytes = good(), MESSAGE(&bytes, 2, {1, 999}, {2, 1});
	refused(&bytes, "a sample with a value too many or too few");
	bytes = good(), MESSAGE(&bytes, 4, {1, 1}, {2, 4711});
	refused(&bytes, "a mapping that is not there");
	bytes = good(), MESSAGE(&bytes, 4, {1, 999}, {2, 70});
	refused(&bytes, "one id for two things, or an id of 0");
	bytes = good(), MESSAGE(&bytes, 5, {2, MAIN});
	refused(&bytes, "one id for two things, or an id of 0");
	bytes = good(), MESSAGE(&bytes, 5, {1, 1}, {2, TEXTS});
	refused(&bytes, "a text that is not in its table");
	bytes = good(), MESSAGE(&bytes, 5, {1, 1}, {2, (uint64_t)-1});
	refused(&bytes, "a text that is not in its table");
	bytes = good(), MESSAGE(&bytes, 5, {1, 1}, {5, (uint64_t)-1});
	refused(&bytes, "a line number out of range");
	bytes = good(), MESSAGE(&bytes, 1, {1, TEXTS});
	refused(&bytes, "a text that is not in its table");
	bytes = good(), put_number(&bytes, 13, TEXTS);
	refused(&bytes, "a text that is not in its table");
	bytes = good(), put_number(&bytes, 12, (uint64_t)-1);
	refused(&bytes, "a negative number");
	bytes = good(), put_number(&bytes, 2, 1);
	refused(&bytes, "a number where a message belongs");
	bytes = good(), put_part(&bytes, 2, "\xff", 1);
	refused(&bytes, "a damaged sample");
}

static void a_line_needs_its_function(void **state)
{
	struct bytes bytes = good(), location = {.count = 0};

	put_number(&location, 1, 1);
	MESSAGE(&location, 4, {1, 4711});
	put_part(&bytes, 4, location.items, location.count);
	refused(&bytes, "a function that is not there");
}

static void what_is_no_profile_is_refused(void **state)
{
	struct bytes bytes = {.count = 0};

	put_part(&bytes, 6, "x", 1);
	refused(&bytes, "no table of texts that begins with an empty one");
	bytes.count = 0;
	put_texts(&bytes);
	refused(&bytes, "it does not say what was counted");
	bytes.count = 0;
	put_raw(&bytes, "PERFILE2 is another format", 26);
	refused(&bytes, "a text file, in no format that profil reads");
	bytes.count = 0;
	put_raw(&bytes,
		"\x7f"
		"ELF\2\1\1",
		8);
	refused(&bytes, "a program or a library");
	bytes.count = 0;
	put_raw(&bytes, "text\1", 5);
	refused(&bytes, "damaged or cut short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_programs_profile_is_understood),
		cmocka_unit_test(nanoseconds_alone_are_divided),
		cmocka_unit_test(ticks_are_held_at_the_most_there_can_be),
		cmocka_unit_test(the_event_is_what_the_period_counts),
		cmocka_unit_test(labels_make_tasks),
		cmocka_unit_test(each_lie_is_found),
		cmocka_unit_test(a_line_needs_its_function),
		cmocka_unit_test(what_is_no_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
