// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include "symbol/frames.h"

#include <fcntl.h>

/* Three functions, two of them inlined into the third.  The store to SINK tells which instruction
 * belongs to which: 1 is outer's, 2 middle's, 3 inner's. */
static const char chain[] = "static volatile int sink;\n"
			    "static inline __attribute__((always_inline)) void inner(void)\n"
			    "{\n"
			    "	sink = 0x333;\n"
			    "}\n"
			    "static inline __attribute__((always_inline)) void middle(void)\n"
			    "{\n"
			    "	sink = 0x222;\n"
			    "	inner();\n"
			    "}\n"
			    "__attribute__((noinline)) int outer(int x)\n"
			    "{\n"
			    "	sink = 0x111;\n"
			    "	middle();\n"
			    "	return x + sink;\n"
			    "}\n"
			    "int main(int argc, char **argv)\n"
			    "{\n"
			    "	return outer(argc);\n"
			    "}\n";

/* The address of the instruction of the program NAME that has the text OPERAND in it. */
static uint64_t address_of_operand(const char *folder, const char *name, const char *operand)
{
	char line[4096];
	unsigned long long address = 0;
	FILE *disassembly;

	snprintf(line, sizeof(line), "objdump -d --no-show-raw-insn %s/%s", folder, name);
	disassembly = popen(line, "r");
	assert_non_null(disassembly);
	while (fgets(line, sizeof(line), disassembly))
		if (!address && strstr(line, operand))
			assert_int_equal(sscanf(line, " %llx:", &address), 1);
	pclose(disassembly);
	assert_true(address);
	return address;
}

static void check_chain(const char *folder, const char *compile)
{
	static const struct {
		const char *operand, *expected;
	} cases[] = {
		{"$0x111,", "NAMED outer chain.c:13"},
		{"$0x222,", "NAMED middle chain.c:8 < outer chain.c:14"},
		{"$0x333,", "NAMED inner chain.c:4 < middle chain.c:9 < outer chain.c:14"},
	};
	struct named *named = named_open();
	char path[4096];

	write_text(folder, "chain.c", chain);
	run_in(folder, "%s -o chain chain.c", compile);
	snprintf(path, sizeof(path), "%s/chain", folder);
	for (size_t i = 0; i < 3; i++) {
		uint64_t address = address_of_operand(folder, "chain", cases[i].operand);

		assert_string_equal(named_one(named, path, address), cases[i].expected);
	}
	named_close(named);
}

static void chain_by_gcc_and_dwarf_5(void **state)
{
	check_chain(*state, "gcc -O2 -gdwarf-5");
}

static void chain_by_gcc_and_dwarf_4(void **state)
{
	check_chain(*state, "gcc -O2 -gdwarf-4");
}

static void chain_without_position_independence(void **state)
{
	check_chain(*state, "gcc -O2 -g -no-pie");
}

static void chain_in_a_dwo_file(void **state)
{
	check_chain(*state, "gcc -O2 -gdwarf-5 -gsplit-dwarf");
	check_chain(*state, "gcc -O2 -gdwarf-4 -gsplit-dwarf");
}

static void chain_by_link_time_optimisation(void **state)
{
	check_chain(*state, "gcc -O2 -g -flto");
}

static void chain_in_compressed_sections(void **state)
{
	check_chain(*state, "gcc -O2 -g -gz=zlib");
}

static void chain_by_clang(void **state)
{
	if (system("clang --version >/dev/null 2>&1"))
		skip();
	check_chain(*state, "clang -O2 -gdwarf-5");
	check_chain(*state, "clang -O2 -gdwarf-4");
}

static int take_start_lines(void *context, size_t index, const struct symbol_place *place)
{
	uint32_t *lines = context;

	for (size_t i = 0; i < place->frame_count && i < 3; i++)
		lines[i] = place->frames[i].start_line;
	return 0;
}

static void start_lines_are_those_of_the_declarations(void **state)
{
	struct named *named = named_open();
	char path[4096];
	struct symbol_object object = {.space = SYMBOL_FILE, .path = path, .build_id = ""};
	uint32_t lines[3] = {0};
	uint64_t address;

	write_text(*state, "chain.c", chain);
	run_in(*state, "gcc -O2 -g -o chain chain.c");
	snprintf(path, sizeof(path), "%s/chain", (char *)*state);
	address = address_of_operand(*state, "chain", "$0x333,");
	assert_int_equal(
		symbols_name(named->symbols, &object, &address, 1, take_start_lines, lines), 0);
	assert_int_equal(lines[0], 2);
	assert_int_equal(lines[1], 6);
	assert_int_equal(lines[2], 11);
	named_close(named);
}

static int take_file(void *context, size_t index, const struct symbol_place *place)
{
	char *file = context;

	assert_true(place->frame_count == 3);
	for (size_t i = 1; i < 3; i++)
		assert_string_equal(place->frames[i].file, place->frames[0].file);
	(void)snprintf(file, 4096, "%s", place->frames[0].file);
	return 0;
}

static void check_file(const char *folder, const char *compile, const char *expected)
{
	struct named *named = named_open();
	char path[4096], file[4096] = "";
	struct symbol_object object = {.space = SYMBOL_FILE, .path = path, .build_id = ""};
	uint64_t address;

	run_in(folder, "%s -o chain part/chain.c", compile);
	snprintf(path, sizeof(path), "%s/chain", folder);
	address = address_of_operand(folder, "chain", "$0x333,");
	assert_int_equal(symbols_name(named->symbols, &object, &address, 1, take_file, file), 0);
	assert_string_equal(file, expected);
	named_close(named);
}

/* A source that the compiler was told by a relative path is where it was then, wherever one reads;
 * where the build hides the folder, the path stays. */
static void sources_are_where_they_were_compiled(void **state)
{
	char path[4096];

	run_in(*state, "mkdir -p part");
	write_text(*state, "part/chain.c", chain);
	snprintf(path, sizeof(path), "%s/part/chain.c", (char *)*state);
	check_file(*state, "gcc -O2 -gdwarf-5", path);
	check_file(*state, "gcc -O2 -gdwarf-4", path);
	check_file(*state, "gcc -O2 -gdwarf-5 -gsplit-dwarf", path);
	check_file(*state, "gcc -O2 -g -fdebug-prefix-map=$(pwd)=.", "part/chain.c");
}

static void without_inlines_there_is_one_frame(void **state)
{
	struct named *named = named_open();
	char path[4096];

	write_text(*state, "chain.c", chain);
	run_in(*state, "gcc -O2 -g -o chain chain.c");
	snprintf(path, sizeof(path), "%s/chain", (char *)*state);
	named->symbols->options.no_inlines = true;
	assert_string_equal(named_one(named, path, address_of_operand(*state, "chain", "$0x333,")),
			    "NAMED outer chain.c:4");
	named_close(named);
}

static void cpp_methods_in_namespaces(void **state)
{
	static const char source[] =
		"static volatile int sink;\n"
		"namespace deep { struct thing {\n"
		"	int run(int x) const;\n"
		"	inline __attribute__((always_inline)) void poke() const { sink = 0x444; }\n"
		"}; }\n"
		"__attribute__((noinline)) int deep::thing::run(int x) const\n"
		"{\n"
		"	poke();\n"
		"	return x;\n"
		"}\n"
		"int main(int c, char **) { return deep::thing().run(c); }\n";
	static const char *const compilers[] = {"g++", "clang++"};
	struct named *named = named_open();
	char path[4096];

	write_text(*state, "deep.cc", source);
	for (size_t i = 0; i < 2; i++) {
		char name[16];

		snprintf(name, sizeof(name), "deep%zu", i);
		snprintf(path, sizeof(path), "%s --version >/dev/null 2>&1", compilers[i]);
		if (system(path))
			continue;
		run_in(*state, "%s -O2 -g -o %s deep.cc", compilers[i], name);
		snprintf(path, sizeof(path), "%s/%s", (char *)*state, name);
		assert_string_equal(
			named_one(named, path, address_of_operand(*state, name, "$0x444,")),
			"NAMED deep::thing::poke() const deep.cc:4 < deep::thing::run(int) const "
			"deep.cc:8");
	}
	named_close(named);
}

/* The chain at ADDRESS in one line, as "name:line name:line". */
static void chain_at(struct frames *frames, struct demangler *demangler, uint64_t address,
		     char *ret_line, size_t size)
{
	struct frames_place place;
	size_t length = 0;

	assert_int_equal(frames_locate(frames, address, &place), 0);
	assert_int_equal(frames_chain(frames, &place, frames_function(&place), true, demangler), 0);
	for (size_t i = 0; i < frames->count; i++)
		length +=
			(size_t)snprintf(ret_line + length, size - length, "%s%s:%u", i ? " " : "",
					 frames->items[i].function, frames->items[i].line);
}

/* With no room at all the DWARF is opened anew for every unit, and says the same. */
static void names_outlive_a_renewed_dwarf(void **state)
{
	static const char *const expected[] = {"in1:1 f1:2", "in2:1 f2:2", "in3:1 f3:2"};
	struct demangler *demangler = demangler_new();
	struct spans code = {0};
	struct frames frames;
	char path[4096];
	Dwarf *dwarf;
	int fd;

	for (int i = 1; i <= 3; i++)
		run_in(*state,
		       "printf 'static inline int in%d(volatile int *x) { return *x = 0x%d55; }\\n"
		       "int f%d(volatile int *x) { return in%d(x); }\\n' > u%d.c",
		       i, i, i, i, i);
	run_in(*state, "printf 'int main(void) { return 0; }\\n' > main.c &&"
		       " gcc -O2 -g -no-pie -o units main.c u1.c u2.c u3.c");
	snprintf(path, sizeof(path), "%s/units", (char *)*state);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	assert_non_null(dwarf);
	assert_int_equal(spans_add(&code, 0x1000, UINT32_MAX, 0, 0), 0);
	assert_int_equal(frames_open(&frames, dwarf, /* shift= */ 0, &code), 0);
	frames.rows_max = 0;
	for (int round = 0; round < 6; round++) {
		char line[256], operand[16];

		snprintf(operand, sizeof(operand), "$0x%d55,", round % 3 + 1);
		chain_at(&frames, demangler, address_of_operand(*state, "units", operand), line,
			 sizeof(line));
		assert_string_equal(line, expected[round % 3]);
	}
	frames_done(&frames);
	spans_done(&code);
	demangler_free(demangler);
	dwarf_end(dwarf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_by_gcc_and_dwarf_5),
		cmocka_unit_test(chain_by_gcc_and_dwarf_4),
		cmocka_unit_test(chain_without_position_independence),
		cmocka_unit_test(chain_in_a_dwo_file),
		cmocka_unit_test(chain_by_link_time_optimisation),
		cmocka_unit_test(chain_in_compressed_sections),
		cmocka_unit_test(chain_by_clang),
		cmocka_unit_test(start_lines_are_those_of_the_declarations),
		cmocka_unit_test(sources_are_where_they_were_compiled),
		cmocka_unit_test(without_inlines_there_is_one_frame),
		cmocka_unit_test(cpp_methods_in_namespaces),
		cmocka_unit_test(names_outlive_a_renewed_dwarf),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
