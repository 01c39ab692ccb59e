// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

static const char list[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T startup\n"
			   "ffffffff81000100 t do_one\n"
			   "ffffffff81000180 d a_datum\n"
			   "ffffffff81000200 W do_two\n"
			   "ffffffffc0001000 t last_of_module\t[ext4]\n"
			   "ffffffffc0000000 t init_module\t[ext4]\n"
			   "ffffffffc0000800 t bpf_prog_1234\t[bpf]\n"
			   "nonsense\n"
			   "ffffffff81000150\n"
			   "ffffffff81000150 t\n"
			   "ffffffff81000150 t \n"
			   "ffffffff81000300 T cut_of";

static void ask(struct named *named, const char *folder, const char *text,
		const uint64_t *addresses, size_t count)
{
	struct symbol_object object = {.space = SYMBOL_KERNEL, .path = "", .build_id = ""};
	char path[4096];

	write_text(folder, "kallsyms", text);
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	named->symbols->kallsyms_path = path;
	named_ask(named, &object, addresses, count);
}

static void the_nearest_symbol_before_is_found(void **state)
{
	static const uint64_t addresses[] = {
		0xffffffff80ffffff, 0xffffffff81000000, 0xffffffff810000ff, 0xffffffff81000190,
		0xffffffff81000191, 0xffffffff81000208, 0xffffffffc0000000, 0xffffffffc0000900,
		0xffffffffc0001000, 0xffffffffc0901000,
	};
	static const char *const expected[] = {
		"UNKNOWN [kernel]+0xffffffff80ffffff",
		"NAMED startup",
		"NAMED startup",
		"NAMED do_one",
		"NAMED do_one",
		"NAMED do_two",
		"NAMED init_module [ext4]",
		"NAMED bpf_prog_1234 [bpf]",
		"NAMED last_of_module [ext4]",
		"UNKNOWN [kernel]+0xffffffffc0901000",
	};
	struct named *named = named_open();

	ask(named, *state, list, addresses, 10);
	for (size_t i = 0; i < 10; i++)
		assert_string_equal(named->lines[i], expected[i]);
	named_close(named);
}

static void hidden_addresses_name_nothing(void **state)
{
	static const uint64_t address = 0x10;
	struct named *named = named_open();

	ask(named, *state, "0000000000000000 T _stext\n0000000000000000 t do_one\n", &address, 1);
	assert_string_equal(named->lines[0], "UNKNOWN [kernel]+0x10");
	named_close(named);
}

static void no_list_names_nothing(void **state)
{
	static const uint64_t addresses[] = {0xffffffff81000000, 0xffffffff81000001};
	struct symbol_object object = {.space = SYMBOL_KERNEL, .path = "", .build_id = ""};
	struct named *named = named_open();

	named->symbols->kallsyms_path = "/nonexistent/kallsyms";
	named_ask(named, &object, addresses, 2);
	assert_string_equal(named->lines[1], "UNKNOWN [kernel]+0xffffffff81000001");
	named_close(named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_symbol_before_is_found),
		cmocka_unit_test(hidden_addresses_name_nothing),
		cmocka_unit_test(no_list_names_nothing),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
