// SPDX-License-Identifier: BSD-2-Clause
#include "named.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>

#include "base/array.h"
#include "symbol/disasm.h"

/* A program with an exported function, a static one, and one in assembly that has no size. */
static const char source[] =
	"#include <stdio.h>\n"
	"static volatile int sink;\n"
	"static __attribute__((noinline)) int hidden(int x)\n"
	"{\n"
	"	for (int i = 0; i < x; i++)\n"
	"		sink += i;\n"
	"	return sink;\n"
	"}\n"
	"__attribute__((noinline)) int shown(int x)\n"
	"{\n"
	"	return puts(\"shown\") + hidden(x);\n"
	"}\n"
	"__asm__(\".text\\n.globl bare\\nbare:\\n nop\\n nop\\n nop\\n nop\\n\"\n"
	"	\" ret\\n\");\n"
	"extern int bare(void);\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	return shown(argc) + bare();\n"
	"}\n";

struct program {
	char folder[2048];
	char path[3000];
	uint64_t hidden, shown, bare, main;
	struct named *named;
};

/* Build "prog" in the folder with FLAGS, and learn where its functions are. */
static void build(struct program *program, const char *folder, const char *flags)
{
	snprintf(program->folder, sizeof(program->folder), "%s", folder);
	snprintf(program->path, sizeof(program->path), "%s/prog", folder);
	write_text(folder, "prog.c", source);
	run_in(folder, "rm -rf prog prog.debug .debug && gcc -O2 %s -o prog prog.c", flags);
	program->hidden = address_of(folder, "prog", "hidden");
	program->shown = address_of(folder, "prog", "shown");
	program->bare = address_of(folder, "prog", "bare");
	program->main = address_of(folder, "prog", "main");
	program->named = named_open();
}

static const char *name_at(struct program *program, uint64_t address)
{
	return named_one(program->named, program->path, address);
}

static void symbols_name_functions(void **state)
{
	struct program program;

	build(&program, *state, "");
	assert_string_equal(name_at(&program, program.hidden), "NAMED hidden");
	assert_string_equal(name_at(&program, program.shown + 2), "NAMED shown");
	assert_string_equal(name_at(&program, program.main), "NAMED main");
	assert_string_equal(name_at(&program, 0x7fffff), "UNKNOWN prog+0x7fffff");
	named_close(program.named);
}

static void fixed_addresses_are_the_files_own(void **state)
{
	struct program program;

	build(&program, *state, "-no-pie");
	assert_true(program.shown > 0x400000);
	assert_string_equal(name_at(&program, program.shown), "NAMED shown");
	named_close(program.named);
	build(&program, *state, "-static");
	assert_string_equal(name_at(&program, program.shown), "NAMED shown");
	named_close(program.named);
}

static void assembly_without_a_size_does_not_reach_into_the_next_function(void **state)
{
	struct program program;
	char expected[64];

	build(&program, *state, "");
	assert_string_equal(name_at(&program, program.bare + 4), "NAMED bare");
	named_close(program.named);
	/* With the dynamic symbols alone, "bare" is the last symbol before "hidden". */
	build(&program, *state, "-rdynamic");
	assert_true(program.bare < program.hidden && program.hidden < program.shown);
	run_in(*state, "strip prog");
	snprintf(expected, sizeof(expected), "BOUNDED prog+0x%" PRIx64, program.hidden);
	assert_string_equal(name_at(&program, program.bare + 4), "NAMED bare");
	assert_string_equal(name_at(&program, program.hidden + 7), expected);
	assert_string_equal(name_at(&program, program.shown), "NAMED shown");
	named_close(program.named);
}

/* Assembly as libraries have it: exported labels without a size, some of them with unwind entries,
 * and code between that nothing describes. */
static const char labels[] = "	.text\n"
			     "	.globl	inside, before, last\n"
			     "inside:	.cfi_startproc\n"
			     "	.skip	16, 0x90\n"
			     "	.cfi_endproc\n"
			     "	.skip	16, 0x90\n" /* nobody's */
			     "before:	.skip	16, 0x90\n"
			     "	.cfi_startproc\n"
			     "	.skip	16, 0x90\n" /* a function without a name */
			     "	.cfi_endproc\n"
			     "	.skip	16, 0x90\n" /* nobody's */
			     "last:	.skip	16, 0x90\n"
			     "	.section .other, \"ax\"\n"
			     "	.skip	16, 0x90\n"
			     "	.section .note.GNU-stack\n";

static void a_symbol_without_a_size_ends_with_its_unwind_entry(void **state)
{
	static const struct {
		const char *label, *wanted;
		unsigned int past;
		bool is_bounded; /* named for where it starts, not for the address */
	} asked[] = {
		{"inside", "NAMED inside", 0, false},	 {"inside", "NAMED inside", 15, false},
		{"inside", "UNKNOWN labels", 16, false}, {"inside", "UNKNOWN labels", 31, false},
		{"before", "NAMED before", 15, false},	 {"before", "BOUNDED labels", 16, true},
		{"before", "BOUNDED labels", 31, true},	 {"before", "UNKNOWN labels", 32, false},
		{"last", "NAMED last", 15, false},	 {"last", "UNKNOWN labels", 16, false},
	};
	struct named *named = named_open();
	char path[3000];

	write_text(*state, "labels.s", labels);
	run_in(*state,
	       "gcc -shared -nostdlib -o labels labels.s && cp labels whole && strip labels");
	snprintf(path, sizeof(path), "%s/labels", (char *)*state);
	for (size_t i = 0; i < ARRAY_LENGTH(asked); i++) {
		uint64_t start = address_of(*state, "whole", asked[i].label);
		uint64_t address = start + asked[i].past;
		char wanted[64];

		snprintf(wanted, sizeof(wanted), "%s", asked[i].wanted);
		if (strstr(wanted, "labels"))
			snprintf(wanted, sizeof(wanted), "%s+0x%" PRIx64, asked[i].wanted,
				 asked[i].is_bounded ? start + 16 : address);
		assert_string_equal(named_one(named, path, address), wanted);
	}
	named_close(named);
}

/* Code of libraries that have hand-written assembly: nothing has a size or an unwind entry, and of
 * what stands behind "first" the names were stripped. */
static const char followed[] = "	.text\n"
			       "	.globl	first, second\n"
			       "first:	test %edi, %edi\n"
			       "	je 2f\n"
			       "	call 3f\n"
			       "1:	ret\n"
			       "	.skip	12, 0xcc\n"
			       "3:	nop\n" /* another function */
			       "	ret\n"
			       "2:	jmp 4f\n"
			       "5:	ret\n" /* another one */
			       "4:	dec %edi\n"
			       "	jne 4b\n"
			       "	jmp 1b\n"
			       "6:	jmp 6b\n" /* and one more */
			       "second:	jmp *%rax\n"
			       "7:	ret\n"
			       "	.section .note.GNU-stack\n";

static void a_symbol_without_a_size_has_what_its_code_gets_to(void **state)
{
	/* Where the instructions stand behind "first". */
	static const struct {
		unsigned int past;
		const char *name; /* NULL: nobody's */
	} asked[] = {
		{0, "first"},  {2, "first"},  {4, "first"},  {9, "first"},   {10, NULL},
		{22, NULL},    {23, NULL},    {24, "first"}, {26, NULL},     {27, "first"},
		{29, "first"}, {31, "first"}, {33, NULL},    {35, "second"}, {37, NULL},
	};
	bool can_follow = !disasm_why_not(EM_X86_64);
	struct named *named = named_open();
	uint64_t start;
	char path[3000];

#ifndef __x86_64__
	skip();
#endif
	write_text(*state, "followed.s", followed);
	run_in(*state, "gcc -shared -nostdlib -o followed followed.s && cp followed whole && strip "
		       "followed");
	snprintf(path, sizeof(path), "%s/followed", (char *)*state);
	start = address_of(*state, "whole", "first");
	for (size_t i = 0; i < ARRAY_LENGTH(asked); i++) {
		uint64_t address = start + asked[i].past;
		char wanted[64];

		if (asked[i].name)
			snprintf(wanted, sizeof(wanted), "NAMED %s", asked[i].name);
		else
			snprintf(wanted, sizeof(wanted), "UNKNOWN followed+0x%" PRIx64, address);
		if (asked[i].name || can_follow)
			assert_string_equal(named_one(named, path, address), wanted);
	}
	named_close(named);
}

static void stripped_code_is_bounded_by_the_unwind_table(void **state)
{
	struct program program;
	char expected[64];

	build(&program, *state, "");
	run_in(*state, "strip prog");
	snprintf(expected, sizeof(expected), "BOUNDED prog+0x%" PRIx64, program.hidden);
	assert_string_equal(name_at(&program, program.hidden + 7), expected);
	named_close(program.named);
	build(&program, *state, "-m32 -fno-pie -no-pie");
	run_in(*state, "strip prog");
	snprintf(expected, sizeof(expected), "BOUNDED prog+0x%" PRIx64, program.hidden);
	assert_string_equal(name_at(&program, program.hidden + 7), expected);
	named_close(program.named);
}

static void code_without_any_table_is_unknown(void **state)
{
	struct program program;
	char expected[64];

	build(&program, *state, "-no-pie");
	run_in(*state, "strip -R .eh_frame -R .eh_frame_hdr prog");
	snprintf(expected, sizeof(expected), "UNKNOWN prog+0x%" PRIx64, program.hidden + 7);
	assert_string_equal(name_at(&program, program.hidden + 7), expected);
	named_close(program.named);
}

static void a_debug_file_is_found_by_its_link(void **state)
{
	static const char *const places[] = {".", ".debug"};

	for (size_t i = 0; i < 2; i++) {
		struct program program;

		build(&program, *state, "-g -Wl,--build-id=none");
		run_in(*state,
		       "mkdir -p %s && objcopy --only-keep-debug prog %s/prog.debug &&"
		       " strip prog && objcopy --add-gnu-debuglink=%s/prog.debug prog",
		       places[i], places[i], places[i]);
		assert_string_equal(name_at(&program, program.hidden), "NAMED hidden prog.c:5");
		named_close(program.named);
	}
}

static void another_debug_file_is_not_believed(void **state)
{
	struct program program;
	char expected[64];

	build(&program, *state, "-g -Wl,--build-id=none");
	run_in(*state, "objcopy --only-keep-debug prog prog.debug && strip prog &&"
		       " objcopy --add-gnu-debuglink=prog.debug prog && echo >> prog.debug");
	snprintf(expected, sizeof(expected), "BOUNDED prog+0x%" PRIx64, program.hidden);
	assert_string_equal(name_at(&program, program.hidden), expected);
	named_close(program.named);
}

static void small_symbol_tables_are_unpacked(void **state)
{
	struct program program;

	if (system("xz --version >/dev/null 2>&1"))
		skip();
	build(&program, *state, "");
	run_in(*state, "objcopy -S --keep-symbol=hidden prog mini && xz -f mini && strip prog &&"
		       " objcopy --add-section .gnu_debugdata=mini.xz prog");
	assert_string_equal(name_at(&program, program.hidden), "NAMED hidden");
	named_close(program.named);
}

/* debuginfod is asked over "file:", which its library takes for a server like any other. */
static void a_debug_file_is_fetched_by_build_id(void **state)
{
	struct program program;
	void *client = dlopen("libdebuginfod.so.1", RTLD_LAZY);
	char url[4096];

	if (!client)
		skip();
	dlclose(client);
	build(&program, *state, "-g -Wl,--build-id=0x1234567890abcdef");
	run_in(*state, "mkdir -p buildid/1234567890abcdef &&"
		       " objcopy --only-keep-debug prog buildid/1234567890abcdef/debuginfo &&"
		       " strip prog");
	snprintf(url, sizeof(url), "file://%s", (char *)*state);
	setenv("DEBUGINFOD_URLS", url, 1);
	snprintf(url, sizeof(url), "%s/cache", (char *)*state);
	setenv("DEBUGINFOD_CACHE_PATH", url, 1);
	assert_string_equal(name_at(&program, program.hidden), "NAMED hidden prog.c:5");
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
	named_close(program.named);
}

static void stubs_are_named_for_what_they_call(void **state)
{
	static const char *const flags[] = {"-Wl,-z,lazy", "-Wl,-z,now",
					    "-fcf-protection -Wl,-z,ibtplt", "-no-pie"};

	for (size_t i = 0; i < 4; i++) {
		struct program program;
		char line[4096];
		unsigned long long address = 0;
		FILE *disassembly;

		build(&program, *state, flags[i]);
		snprintf(line, sizeof(line), "objdump -d %s", program.path);
		disassembly = popen(line, "r");
		assert_non_null(disassembly);
		while (fgets(line, sizeof(line), disassembly))
			if (strstr(line, "<puts@plt>:"))
				assert_int_equal(sscanf(line, "%llx", &address), 1);
		pclose(disassembly);
		assert_true(address);
		assert_string_equal(name_at(&program, address + 4), "NAMED puts@plt");
		named_close(program.named);
	}
}

static size_t open_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

/* Ask for NAMED what FILE, of which only the first SIZE bytes are there, says of ADDRESSES. */
static void ask_cut(const char *folder, size_t size, const uint64_t *addresses, size_t count)
{
	struct named *named = named_open();
	char path[4096];
	struct symbol_object object = {.space = SYMBOL_FILE, .path = path, .build_id = ""};

	snprintf(path, sizeof(path), "%s/cut", folder);
	assert_int_equal(truncate(path, (off_t)size), 0);
	named_ask(named, &object, addresses, count);
	named_close(named);
}

static void a_file_cut_anywhere_names_every_address(void **state)
{
	struct program program;
	struct stat status;
	size_t before = open_descriptors();
	uint64_t addresses[3];

	build(&program, *state, "-g");
	run_in(*state, "cp prog cut");
	addresses[0] = 0x1000;
	addresses[1] = program.main < program.shown ? program.main : program.shown;
	addresses[2] = program.main < program.shown ? program.shown : program.main;
	assert_int_equal(stat(program.path, &status), 0);
	for (size_t size = (size_t)status.st_size; size > 0; size -= size > 997 ? 997 : size) {
		ask_cut(*state, size, addresses, 3);
		if (size < 2048)
			for (size_t fine = size; fine > 0 && fine + 97 > size; fine -= 7)
				ask_cut(*state, fine, addresses, 3);
	}
	named_close(program.named);
	assert_int_equal(open_descriptors(), before);
}

/* From one spoilt byte to forty, at places a fixed seed gives. */
static void a_spoilt_file_names_every_address(void **state)
{
	struct program program;
	struct stat status;
	uint64_t addresses[3];

	build(&program, *state, "-g");
	addresses[0] = 0x1000;
	addresses[1] = program.main < program.shown ? program.main : program.shown;
	addresses[2] = program.main < program.shown ? program.shown : program.main;
	assert_int_equal(stat(program.path, &status), 0);
	srand(1979);
	for (int round = 0; round < 200; round++) {
		char path[4096];
		int fd;

		run_in(*state, "cp prog cut");
		snprintf(path, sizeof(path), "%s/cut", (char *)*state);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		assert_true(fd >= 0);
		for (int i = 0; i < 1 + round / 5; i++) {
			uint8_t byte = (uint8_t)rand();
			off_t where = SELFMAG + rand() % ((off_t)status.st_size - SELFMAG);

			assert_int_equal(pwrite(fd, &byte, 1, where), 1);
		}
		close(fd);
		ask_cut(*state, (size_t)status.st_size, addresses, 3);
	}
	named_close(program.named);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_name_functions),
		cmocka_unit_test(fixed_addresses_are_the_files_own),
		cmocka_unit_test(assembly_without_a_size_does_not_reach_into_the_next_function),
		cmocka_unit_test(a_symbol_without_a_size_ends_with_its_unwind_entry),
		cmocka_unit_test(a_symbol_without_a_size_has_what_its_code_gets_to),
		cmocka_unit_test(stripped_code_is_bounded_by_the_unwind_table),
		cmocka_unit_test(code_without_any_table_is_unknown),
		cmocka_unit_test(a_debug_file_is_found_by_its_link),
		cmocka_unit_test(another_debug_file_is_not_believed),
		cmocka_unit_test(small_symbol_tables_are_unpacked),
		cmocka_unit_test(a_debug_file_is_fetched_by_build_id),
		cmocka_unit_test(stubs_are_named_for_what_they_call),
		cmocka_unit_test(a_file_cut_anywhere_names_every_address),
		cmocka_unit_test(a_spoilt_file_names_every_address),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
