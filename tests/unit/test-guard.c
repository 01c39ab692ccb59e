// SPDX-License-Identifier: BSD-2-Clause
#include "http/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

static void a_token_is_taken_whole(void **state)
{
	struct error why;
	char token[GUARD_TOKEN_SIZE], other[GUARD_TOKEN_SIZE];

	assert_int_equal(guard_token_make(token, &why), 0);
	assert_int_equal(guard_token_make(other, &why), 0);
	assert_int_equal(strlen(token), GUARD_TOKEN_SIZE - 1);
	assert_int_equal(strspn(token, "0123456789abcdef"), GUARD_TOKEN_SIZE - 1);
	assert_true(guard_token_is(token, token));
	assert_false(guard_token_is(other, token));
	assert_false(guard_token_is(NULL, token));
	assert_false(guard_token_is("", token));
	memcpy(other, token, sizeof(other));
	other[GUARD_TOKEN_SIZE - 2] = '\0';
	assert_false(guard_token_is(other, token));
}

/* A page elsewhere can have any name stand for this machine, but none of these. */
static void hosts_are_addresses_and_own_names(void **state)
{
	static const char *const good[] = {
		"127.0.0.1",	"127.0.0.1:7997", "[::1]", "[::1]:1",  "localhost",
		"LocalHost:80", "192.0.2.7:7997", "box",   "Box:7997", "[fe80::1]:65535"};
	static const char *const bad[] = {"",
					  "evil.example",
					  "localhost.evil.example",
					  "127.0.0.1.evil",
					  "127.0.0.1:x",
					  "127.0.0.1:80:80",
					  "[::1",
					  "[::1]x",
					  "[localhost.e]",
					  "127.1",
					  "0x7f.1",
					  "box.evil",
					  "127.0.0.1 ",
					  "user@127.0.0.1"};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(guard_host(good[i], "box"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(guard_host(bad[i], "box"));
	assert_false(guard_host(NULL, "box"));
	assert_false(guard_host("box", ""));
	assert_false(guard_host("", ""));
}

static void only_the_page_itself_may_ask(void **state)
{
	assert_true(guard_origin(NULL, "127.0.0.1:1"));
	assert_true(guard_origin("http://127.0.0.1:1", "127.0.0.1:1"));
	assert_false(guard_origin("http://127.0.0.1:2", "127.0.0.1:1"));
	assert_false(guard_origin("https://127.0.0.1:1", "127.0.0.1:1"));
	assert_false(guard_origin("http://127.0.0.1:1.evil", "127.0.0.1:1"));
	assert_false(guard_origin("null", "127.0.0.1:1"));
	assert_false(guard_origin("", "127.0.0.1:1"));
	assert_false(guard_origin("http://127.0.0.1:1", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_taken_whole),
		cmocka_unit_test(hosts_are_addresses_and_own_names),
		cmocka_unit_test(only_the_page_itself_may_ask),
	};

	return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
