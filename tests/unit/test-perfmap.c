// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

static const struct symbol_object process = {
	.space = SYMBOL_ANON, .path = "", .build_id = "", .pid = 4242};

static void lines_are_read(void **state)
{
	static const char map[] = "1000 100 old code\n"
				  "1100 10 LazyCompile:~run /app/a.js:3\n"
				  "1040 20 new code\n"
				  "1200 0 empty\n"
				  "nonsense\n"
				  "1300 zz x\n"
				  "1300 10\n"
				  "1300 10 \n"
				  "fffffffffffffff0 20 wraps\n"
				  "1110 10 _ZN1a1bEv\n"
				  "1400 10 cut of";
	static const uint64_t addresses[] = {0xfff,  0x1000, 0x103f, 0x1040, 0x105f, 0x1060, 0x10ff,
					     0x1100, 0x1110, 0x1120, 0x1200, 0x1300, 0x1400};
	static const char *const expected[] = {
		"UNKNOWN [anon]+0xfff",	 "NAMED old code",
		"NAMED old code",	 "NAMED new code",
		"NAMED new code",	 "NAMED old code",
		"NAMED old code",	 "NAMED LazyCompile:~run /app/a.js:3",
		"NAMED a::b()",		 "UNKNOWN [anon]+0x1120",
		"UNKNOWN [anon]+0x1200", "UNKNOWN [anon]+0x1300",
		"UNKNOWN [anon]+0x1400",
	};
	struct named *named = named_open();

	write_text(*state, "perf-4242.map", map);
	named->symbols->perfmap_folder = *state;
	named_ask(named, &process, addresses, 13);
	for (size_t i = 0; i < 13; i++)
		assert_string_equal(named->lines[i], expected[i]);
	named_close(named);
}

/* What java -XX:+DumpPerfMapAtExit wrote (OpenJDK 17), and what else strtoull(3) takes, as perf
 * does. */
static void numbers_may_have_0x(void **state)
{
	static const char map[] =
		"0x00007fec68ec7640 0x0000000000000130 int J.fib(int)\n"
		"0x00007fec614001a0 0x0000000000000110 void java.lang.Object.<init>()\n"
		"0x00007fec61400f00 0x0000000000000390 int J.fib(int)\n"
		"0x00007fec68940b80 0x0000000000017de0 Interpreter\n"
		"  0X2000\t  0x10\tafter tabs\n"
		"0x 0x10 no number\n"
		"0x10000000000000000 0x10 too large\n";
	static const uint64_t addresses[] = {0x0,
					     0x2004,
					     0x7fec614001a0,
					     0x7fec61400f00,
					     0x7fec6895895f,
					     0x7fec68ec776f,
					     0x7fec68ec7770};
	static const char *const expected[] = {
		"UNKNOWN [anon]+0x0",
		"NAMED after tabs",
		"NAMED void java.lang.Object.<init>()",
		"NAMED int J.fib(int)",
		"NAMED Interpreter",
		"NAMED int J.fib(int)",
		"UNKNOWN [anon]+0x7fec68ec7770",
	};
	struct named *named = named_open();

	write_text(*state, "perf-4242.map", map);
	named->symbols->perfmap_folder = *state;
	named_ask(named, &process, addresses, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(named->lines[i], expected[i]);
	named_close(named);
}

static void no_map_names_nothing(void **state)
{
	static const uint64_t address = 0x1000;
	struct symbol_object other = {
		.space = SYMBOL_ANON, .path = "", .build_id = "", .pid = 4243};
	struct named *named = named_open();

	named->symbols->perfmap_folder = *state;
	named_ask(named, &other, &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [anon]+0x1000");
	run_in(*state, "mkfifo perf-4243.map");
	named_ask(named, &other, &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [anon]+0x1000");
	run_in(*state, "rm perf-4243.map; : > perf-4243.map");
	named_ask(named, &other, &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [anon]+0x1000");
	named_close(named);
}

static void a_link_is_not_followed(void **state)
{
	static const uint64_t address = 0x1000;
	struct symbol_object other = {
		.space = SYMBOL_ANON, .path = "", .build_id = "", .pid = 4244};
	struct named *named = named_open();

	write_text(*state, "elsewhere", "1000 10 trap\n");
	run_in(*state, "ln -s elsewhere perf-4244.map");
	named->symbols->perfmap_folder = *state;
	named_ask(named, &other, &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [anon]+0x1000");
	named_close(named);
}

static void a_strangers_map_is_not_believed(void **state)
{
	static const uint64_t address = 0x1000;
	struct symbol_object other = {
		.space = SYMBOL_ANON, .path = "", .build_id = "", .pid = 0x7ffffff0};
	struct named *named;

	if (geteuid())
		skip();
	named = named_open();
	write_text(*state, "perf-2147483632.map", "1000 10 trap\n");
	run_in(*state, "chown 65534 perf-2147483632.map");
	named->symbols->perfmap_folder = *state;
	named_ask(named, &other, &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [anon]+0x1000");
	named_close(named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(numbers_may_have_0x),
		cmocka_unit_test(no_map_names_nothing),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(a_strangers_map_is_not_believed),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
