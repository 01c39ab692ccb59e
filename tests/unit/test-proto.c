// SPDX-License-Identifier: BSD-2-Clause
#include "base/proto.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#define CURSOR(bytes) ((struct proto_cursor){(bytes), (bytes) + sizeof(bytes)})

static void numbers_come_back(void **state)
{
	static const uint64_t numbers[] = {
		1,	   0x7f,      0x80, 0x3fff, 0x4000, UINT32_MAX, (uint64_t)1 << 32,
		INT64_MAX, UINT64_MAX};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct proto out = PROTO(PROTO_NUMBER_MAX);
		struct proto_cursor cursor;
		struct proto_field field;

		proto_number(&out, 15, numbers[i]);
		assert_true(out.used <= PROTO_NUMBER_MAX);
		cursor = (struct proto_cursor){out.bytes, out.bytes + out.used};
		assert_int_equal(proto_next(&cursor, &field), 1);
		assert_int_equal(field.number, 15);
		assert_int_equal(field.type, PROTO_VARINT);
		assert_true(field.value == numbers[i]);
		assert_int_equal(proto_next(&cursor, &field), 0);
	}
}

static void zero_and_no_numbers_are_left_out(void **state)
{
	struct proto out = PROTO(8);

	proto_number(&out, 1, 0);
	proto_numbers(&out, 2, NULL, 0);
	assert_int_equal(out.used, 0);
	proto_bytes(&out, 3, "", 0);
	assert_int_equal(out.used, 2);
}

/* Ten bytes hold 64 bits; an eleventh is of no number. */
static void a_number_ends_in_time(void **state)
{
	static const uint8_t longest[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
	static const uint8_t longer[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					 0x80, 0x80, 0x80, 0x80, 1};
	static const uint8_t cut[] = {0x80, 0x80};
	static const uint8_t padded[] = {0x81, 0x80, 0};
	struct proto_cursor cursor = CURSOR(longest);
	uint64_t value;

	assert_int_equal(proto_varint(&cursor, &value), 0);
	assert_true(value == UINT64_MAX && cursor.next == cursor.end);
	cursor = CURSOR(longer);
	assert_int_equal(proto_varint(&cursor, &value), -EBADMSG);
	cursor = CURSOR(cut);
	assert_int_equal(proto_varint(&cursor, &value), -EBADMSG);
	cursor = CURSOR(padded);
	assert_int_equal(proto_varint(&cursor, &value), 0);
	assert_int_equal(value, 1);
}

static void assert_refused(const uint8_t *bytes, size_t size)
{
	struct proto_cursor cursor = {bytes, bytes + size};
	struct proto_field field;

	assert_int_equal(proto_next(&cursor, &field), -EBADMSG);
	assert_ptr_equal(cursor.next, bytes);
}

#define REFUSED(...) \
	assert_refused((const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}))

static void what_is_cut_short_is_refused(void **state)
{
	REFUSED(0x80);	 /* a tag */
	REFUSED(1 << 3); /* a number */
	REFUSED(1 << 3, 0x80);
	REFUSED(1 << 3 | 1, 1, 2, 3, 4, 5, 6, 7); /* eight bytes */
	REFUSED(1 << 3 | 5, 1, 2, 3);		  /* four */
	REFUSED(1 << 3 | 2);			  /* a length */
	REFUSED(1 << 3 | 2, 2, 1);		  /* and what it is of */
	REFUSED(1 << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
}

static void groups_and_field_0_are_refused(void **state)
{
	REFUSED(1 << 3 | 3, 1 << 3 | 4);
	REFUSED(1 << 3 | 4);
	REFUSED(1 << 3 | 6, 1);
	REFUSED(1 << 3 | 7, 1);
	REFUSED(0, 1);
	REFUSED(0x80, 0x80, 0x80, 0x80, 0x10, 1); /* a field of 33 bits */
}

static void fixed_numbers_are_lowest_byte_first(void **state)
{
	static const uint8_t bytes[] = {1 << 3 | 1, 1,	  2,	      0, 0, 0, 0,
					0,	    0x80, 2 << 3 | 5, 3, 4, 0, 0};
	struct proto_cursor cursor = CURSOR(bytes);
	struct proto_field field;

	assert_int_equal(proto_next(&cursor, &field), 1);
	assert_true(field.value == 0x8000000000000201);
	assert_int_equal(proto_next(&cursor, &field), 1);
	assert_true(field.number == 2 && field.value == 0x403);
	assert_int_equal(proto_next(&cursor, &field), 0);
}

/* BYTES as a message in a field, as proto_read_numbers() has it. */
static int read_three(const uint8_t *bytes, size_t size, uint64_t numbers[3])
{
	const struct proto_field message = {.type = PROTO_BYTES, .bytes = bytes, .size = size};

	return proto_read_numbers(&message, numbers, 3);
}

static void numbers_are_read_by_field(void **state)
{
	static const uint8_t bytes[] = {2 << 3,	    7, 1 << 3, 5,      3 << 3, 9,
					4 << 3 | 2, 1, 0xff,   2 << 3, 8};
	static const uint8_t text[] = {1 << 3 | 2, 1, 'x'};
	static const uint8_t cut[] = {1 << 3, 5, 2 << 3};
	struct proto_field number = {.type = PROTO_VARINT};
	uint64_t numbers[3];

	assert_int_equal(read_three(bytes, sizeof(bytes), numbers), 0);
	assert_true(numbers[1] == 5 && numbers[2] == 8); /* the last one counts */
	assert_int_equal(read_three(NULL, 0, numbers), 0);
	assert_true(!numbers[0] && !numbers[1] && !numbers[2]);
	assert_int_equal(read_three(text, sizeof(text), numbers), -EBADMSG);
	assert_int_equal(read_three(cut, sizeof(cut), numbers), -EBADMSG);
	assert_int_equal(proto_read_numbers(&number, numbers, 3), -EBADMSG);
}

static void numbers_may_be_packed_or_not(void **state)
{
	static const uint64_t numbers[] = {0, 300, UINT64_MAX};
	struct proto out = PROTO(64);
	struct proto_cursor cursor, packed;
	struct proto_field field;
	uint64_t value;

	proto_numbers(&out, 1, numbers, 3);
	proto_number(&out, 1, 500);
	cursor = (struct proto_cursor){out.bytes, out.bytes + out.used};
	assert_int_equal(proto_next(&cursor, &field), 1);
	assert_int_equal(proto_unpack(&field, &packed), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(proto_varint(&packed, &value), 0);
		assert_true(value == numbers[i]);
	}
	assert_ptr_equal(packed.next, packed.end);
	assert_int_equal(proto_next(&cursor, &field), 1);
	assert_int_equal(proto_unpack(&field, &packed), 0);
	assert_int_equal(proto_varint(&packed, &value), 0);
	assert_true(value == 500 && packed.next == packed.end);
	field.type = PROTO_FIXED32;
	assert_int_equal(proto_unpack(&field, &packed), -EBADMSG);
	assert_int_equal(proto_enter(&field, &packed), -EBADMSG);
}

static void what_does_not_fit_is_counted(void **state)
{
	uint8_t bytes[8];
	struct proto out = {.bytes = bytes, .room = 4}, nowhere = {.room = 0};

	memset(bytes, 0xee, sizeof(bytes));
	proto_number(&out, 1, 5);
	proto_bytes(&out, 2, "abcdef", 6);
	proto_number(&out, 3, 300);
	assert_int_equal(out.used, 2 + 2 + 6 + 3);
	for (size_t i = 4; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], 0xee);
	proto_message(&nowhere, 1, &(struct proto){.bytes = bytes, .used = 4});
	assert_int_equal(nowhere.used, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_come_back),
		cmocka_unit_test(zero_and_no_numbers_are_left_out),
		cmocka_unit_test(a_number_ends_in_time),
		cmocka_unit_test(what_is_cut_short_is_refused),
		cmocka_unit_test(groups_and_field_0_are_refused),
		cmocka_unit_test(fixed_numbers_are_lowest_byte_first),
		cmocka_unit_test(numbers_are_read_by_field),
		cmocka_unit_test(numbers_may_be_packed_or_not),
		cmocka_unit_test(what_does_not_fit_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
