// SPDX-License-Identifier: BSD-2-Clause
/* Tables that are compiled from what an assembler made. */
#include "named.h"

#include "base/array.h"
#include "unwind/bytes.h"
#include "unwind/compile.h"
#include "unwind/load.h"
#include "unwind/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

static void numbers_of_any_length(void **state)
{
	static const uint8_t some[] = {0x7f, 0xff, 0x7f, 0x80, 0x01, 0xe5, 0x8e, 0x26};
	static const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
	static const uint8_t endless[11] = {[0 ... 10] = 0x80};
	struct bytes bytes = {some, some + sizeof(some), false};

	assert_int_equal(bytes_sleb128(&bytes), -1);
	assert_int_equal(bytes_sleb128(&bytes), -1);
	assert_int_equal(bytes_uleb128(&bytes), 128);
	assert_int_equal(bytes_uleb128(&bytes), 624485);
	assert_false(bytes.is_short);
	assert_int_equal(bytes_uleb128(&bytes), 0);
	assert_true(bytes.is_short);
	bytes = (struct bytes){most, most + sizeof(most), false};
	assert_true(bytes_uleb128(&bytes) == UINT64_MAX && !bytes.is_short);
	bytes = (struct bytes){endless, endless + sizeof(endless), false};
	assert_true(bytes_uleb128(&bytes) == 0 && bytes.is_short);
}

static void nothing_is_read_beyond_the_end(void **state)
{
	static const uint8_t three[] = {1, 2, 'x'};
	struct bytes bytes = {three, three + sizeof(three), false};
	struct bytes part = bytes_take(&bytes, 2);

	assert_int_equal(bytes_number(&part, 2), 0x0201);
	assert_string_equal(bytes_string(&bytes), "");
	assert_true(bytes.is_short);
	bytes = (struct bytes){three, three + sizeof(three), false};
	assert_int_equal(bytes_number(&bytes, 8), 0);
	assert_true(bytes.is_short);
	bytes = (struct bytes){three, three + sizeof(three), false};
	part = bytes_take(&bytes, UINT64_MAX);
	assert_true(part.is_short && bytes.is_short);
}

/* One function a rule: its first instruction is two bytes, so that its second is found by name. */
static const char source[] =
	".text\n"
	".globl _start\n"
	"_start: nop; nop; ret\n"
	".skip 80, 0x90\n"
	".globl plain\n"
	"plain:\n"
	".cfi_startproc\n"
	" push %rbp\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset %rbp, -16\n"
	" mov %rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	" pop %rbp\n"
	".cfi_def_cfa %rsp, 8\n"
	".cfi_restore %rbp\n"
	" ret\n"
	".cfi_endproc\n"
	" nop\n"
	".globl top\n"
	"top:\n"
	".cfi_startproc\n"
	".cfi_undefined %rip\n"
	" ret\n"
	".cfi_endproc\n"
	".globl realigned\n"
	"realigned:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 3, 0x76, 0x78, 0x06\n" /* CFA is [rbp - 8] */
	".cfi_escape 0x10, 6, 2, 0x76, 0\n"	  /* rbp is saved at rbp */
	" ret\n"
	".cfi_endproc\n"
	".globl on_stack\n"
	"on_stack:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 6, 0x77, 0x38, 0x06, 0x23, 0x08, 0x96\n" /* nobody writes that */
	" nop\n"
	".cfi_escape 0x0f, 5, 0x77, 0x38, 0x06, 0x23, 0x08\n" /* [rsp + 56] + 8 */
	" ret\n"
	".cfi_endproc\n"
	".globl stub\n"
	"stub:\n"
	".cfi_startproc\n"
	".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n"
	" ret\n"
	".cfi_endproc\n"
	".globl forked\n"
	"forked:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 0\n"
	".cfi_register %rip, %rdi\n"
	" ret\n"
	".cfi_endproc\n"
	".globl jumping\n"
	"jumping:\n"
	".cfi_startproc\n"
	".cfi_offset %rsp, -16\n"
	" ret\n"
	".cfi_endproc\n"
	".globl interrupted\n"
	"interrupted:\n"
	".cfi_startproc\n"
	".cfi_signal_frame\n"
	".cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06\n" /* CFA is [rsp + 160] */
	".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01\n"	/* the return address at rsp + 168 */
	" ret\n"
	".cfi_endproc\n"
	".globl remembering\n"
	"remembering:\n"
	".cfi_startproc\n"
	" push %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbx, -16\n"
	".cfi_remember_state\n"
	" pop %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n"
	" ret\n"
	".cfi_restore_state\n"
	" nop\n"
	" ret\n"
	".cfi_endproc\n";

/* Code that .eh_frame does not cover, as that of Go and of -fno-asynchronous-unwind-tables. */
static const char debugged[] = ".cfi_sections .debug_frame\n"
			       ".text\n"
			       " nop; nop; nop\n"
			       ".globl debugged\n"
			       "debugged:\n"
			       ".cfi_startproc\n"
			       " push %rbx\n"
			       ".cfi_def_cfa_offset 16\n"
			       ".cfi_offset %rbx, -16\n"
			       " ret\n"
			       ".cfi_endproc\n"
			       " nop\n"
			       ".globl other\n"
			       "other:\n"
			       " ret\n"
			       /* An entry of code that .eh_frame covers, and wrong. */
			       ".section .debug_frame\n"
			       "0: .long 2f - 1f\n"
			       "1: .long 0xffffffff\n"
			       ".byte 3, 0, 1, 0x78, 16\n"
			       ".byte 0x0c, 7, 24, 0x90, 1\n" /* CFA is rsp + 24 */
			       ".balign 8\n"
			       "2: .long 4f - 3f\n"
			       "3: .long 0b\n"
			       ".quad plain + 1, 2\n"
			       "4:\n";

struct built {
	uint8_t *image;
	size_t size;
	char folder[2048];
	struct unwind_table table;
};

static void load(struct built *built)
{
	char path[3000];
	struct stat status;
	FILE *file;

	snprintf(path, sizeof(path), "%s/rules", built->folder);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &status), 0);
	built->size = (size_t)status.st_size;
	built->image = malloc(built->size);
	assert_non_null(built->image);
	assert_int_equal(fread(built->image, 1, built->size, file), built->size);
	fclose(file);
}

static void build(struct built *built, const char *folder)
{
	snprintf(built->folder, sizeof(built->folder), "%s", folder);
	write_text(folder, "rules.s", source);
	write_text(folder, "debugged.s", debugged);
	/* Addresses are offsets in the file. */
	run_in(folder, "gcc -nostdlib -static -no-pie -Wl,-Ttext-segment=0 -Wl,--build-id=none "
		       "rules.s debugged.s -o rules");
	load(built);
	assert_int_equal(unwind_compile(built->image, built->size, &built->table), 0);
	assert_true(built->table.row_count > 10);
	assert_int_equal(built->table.word_size, 8);
}

static void built_done(struct built *built)
{
	unwind_table_done(&built->table);
	free(built->image);
}

static const struct unwind_row *row_at(const struct built *built, const char *function,
				       uint64_t offset)
{
	const struct unwind_row *row =
		unwind_find(&built->table, address_of(built->folder, "rules", function) + offset);

	assert_non_null(row);
	return row;
}

/* The rule OFFSET bytes into FUNCTION. */
static const struct unwind_rule *rule_at(const struct built *built, const char *function,
					 uint64_t offset)
{
	const struct unwind_row *row = row_at(built, function, offset);

	assert_true(row->rule >= UNWIND_FIRST_RULE && row->rule < built->table.rule_count);
	return &built->table.rules[row->rule];
}

static void assert_cfa(const struct unwind_rule *rule, unsigned cfa_register, int offset,
		       unsigned flags, int addend)
{
	assert_int_equal(rule->cfa_register, cfa_register);
	assert_int_equal(rule->cfa_offset, offset);
	assert_int_equal(rule->flags, flags);
	assert_int_equal(rule->addend, addend);
}

static void assert_place(const struct unwind_rule *rule, enum unwind_saved which,
			 enum unwind_where where, int offset)
{
	assert_int_equal(rule->saved[which].where, where);
	assert_int_equal(rule->saved[which].offset, offset);
}

static void what_compilers_write(void **state)
{
	struct built built;
	const struct unwind_rule *rule;

	build(&built, *state);
	rule = rule_at(&built, "plain", 0);
	assert_cfa(rule, UNWIND_SP, 8, 0, 0);
	assert_place(rule, UNWIND_RETURN, UNWIND_AT_CFA, -8);
	assert_place(rule, UNWIND_SAVED_BP, UNWIND_SAME, 0);
	rule = rule_at(&built, "plain", 1);
	assert_cfa(rule, UNWIND_SP, 16, 0, 0);
	assert_place(rule, UNWIND_SAVED_BP, UNWIND_AT_CFA, -16);
	assert_cfa(rule_at(&built, "plain", 4), UNWIND_BP, 16, 0, 0);
	/* One rule for what is alike. */
	assert_ptr_equal(rule_at(&built, "plain", 5), rule_at(&built, "plain", 0));
	assert_int_equal(row_at(&built, "plain", 5)->back, 3);
	rule = rule_at(&built, "remembering", 4);
	assert_cfa(rule, UNWIND_SP, 16, 0, 0);
	assert_place(rule, UNWIND_SAVED_BX, UNWIND_AT_CFA, -16);
	built_done(&built);
}

static void what_stands_in_assembly(void **state)
{
	struct built built;
	const struct unwind_rule *rule;

	build(&built, *state);
	rule = rule_at(&built, "realigned", 0);
	assert_cfa(rule, UNWIND_BP, -8, UNWIND_DEREFERENCE, 0);
	assert_place(rule, UNWIND_SAVED_BP, UNWIND_AT_BP, 0);
	assert_cfa(rule_at(&built, "on_stack", 1), UNWIND_SP, 56, UNWIND_DEREFERENCE, 8);
	assert_cfa(rule_at(&built, "stub", 0), UNWIND_SP, 8, UNWIND_STUB, 11);
	rule = rule_at(&built, "forked", 0);
	assert_cfa(rule, UNWIND_SP, 0, 0, 0);
	assert_place(rule, UNWIND_RETURN, UNWIND_IN_REGISTER, UNWIND_OTHER + 5);
	rule = rule_at(&built, "interrupted", 0);
	assert_cfa(rule, UNWIND_SP, 160, UNWIND_DEREFERENCE | UNWIND_SIGNAL, 0);
	assert_place(rule, UNWIND_RETURN, UNWIND_AT_SP, 168);
	built_done(&built);
}

static void debug_frame_has_what_is_nowhere_else(void **state)
{
	struct built built;
	const struct unwind_rule *rule;

	build(&built, *state);
	assert_cfa(rule_at(&built, "debugged", 0), UNWIND_SP, 8, 0, 0);
	rule = rule_at(&built, "debugged", 1);
	assert_cfa(rule, UNWIND_SP, 16, 0, 0);
	assert_place(rule, UNWIND_SAVED_BX, UNWIND_AT_CFA, -16);
	assert_int_equal(row_at(&built, "debugged", 2)->rule, UNWIND_UNKNOWN);
	assert_int_equal(row_at(&built, "other", 0)->rule, UNWIND_UNKNOWN);
	built_done(&built);
}

static void what_is_not_known_has_no_rule(void **state)
{
	struct built built;

	build(&built, *state);
	assert_int_equal(row_at(&built, "top", 0)->rule, UNWIND_OUTERMOST);
	assert_int_equal(row_at(&built, "on_stack", 0)->rule, UNWIND_UNKNOWN);
	assert_int_equal(row_at(&built, "jumping", 0)->rule, UNWIND_UNKNOWN);
	/* Between two functions, and behind the last. */
	assert_int_equal(row_at(&built, "plain", 6)->rule, UNWIND_UNKNOWN);
	assert_int_equal(row_at(&built, "remembering", 5)->rule, UNWIND_UNKNOWN);
	/* The program's entry is known for what it is, though nothing in the file says so. */
	assert_int_equal(row_at(&built, "_start", 2)->rule, UNWIND_OUTERMOST);
	assert_int_equal(row_at(&built, "_start", 70)->rule, UNWIND_UNKNOWN);
	built_done(&built);
}

static void assert_ordered(const struct unwind_table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		assert_true(!i || table->rows[i - 1].offset < table->rows[i].offset);
		assert_true(table->rows[i].rule < UNWIND_FIRST_RULE ||
			    table->rows[i].rule < table->rule_count);
		assert_true(table->rows[i].back <= i);
	}
}

static void damaged_files_harm_nobody(void **state)
{
	struct built built;
	struct unwind_table table;
	uint32_t seed = 1;

	build(&built, *state);
	for (size_t size = 0; size < built.size; size += 1 + size / 64) {
		uint8_t *cut = malloc(size + 1);

		assert_non_null(cut);
		memcpy(cut, built.image, size);
		if (!unwind_compile(cut, size, &table))
			assert_ordered(&table);
		unwind_table_done(&table);
		free(cut);
	}
	for (int round = 0; round < 5000; round++) {
		size_t at = (seed = seed * 1103515245 + 12345) % built.size;
		uint8_t was = built.image[at];

		built.image[at] = (uint8_t)(seed >> 16);
		if (!unwind_compile(built.image, built.size, &table))
			assert_ordered(&table);
		unwind_table_done(&table);
		built.image[at] = was;
	}
	assert_int_equal(unwind_compile("no program", 10, &table), -ENOEXEC);
	built_done(&built);
}

/* What is read of a file is enough, and the table the same; a file that ends early has none. */
static void a_file_is_read_as_far_as_it_takes(void **state)
{
	struct unwind_table table = {0};
	struct built built;
	char path[3000];
	int fd;

	build(&built, *state);
	snprintf(path, sizeof(path), "%s/rules", built.folder);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unwind_load(fd, &table), 0);
	assert_int_equal(table.row_count, built.table.row_count);
	assert_memory_equal(table.rows, built.table.rows, table.row_count * sizeof(*table.rows));
	assert_int_equal(table.rule_count, built.table.rule_count);
	assert_memory_equal(table.rules, built.table.rules,
			    table.rule_count * sizeof(*table.rules));
	unwind_table_done(&table);
	for (off_t size = (off_t)built.size; (size /= 2);) {
		assert_int_equal(ftruncate(fd, size), 0);
		if (!unwind_load(fd, &table))
			assert_ordered(&table);
		unwind_table_done(&table);
	}
	close(fd);
	built_done(&built);
}

static void the_vdso_has_a_table(void **state)
{
	struct unwind_table table = {0};

	if (!getauxval(AT_SYSINFO_EHDR))
		skip();
	assert_int_equal(unwind_load_vdso(&table), 0);
	assert_true(table.row_count > 4);
	assert_ordered(&table);
	unwind_table_done(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_any_length),
		cmocka_unit_test(nothing_is_read_beyond_the_end),
		cmocka_unit_test(what_compilers_write),
		cmocka_unit_test(what_stands_in_assembly),
		cmocka_unit_test(debug_frame_has_what_is_nowhere_else),
		cmocka_unit_test(what_is_not_known_has_no_rule),
		cmocka_unit_test(damaged_files_harm_nobody),
		cmocka_unit_test(a_file_is_read_as_far_as_it_takes),
		cmocka_unit_test(the_vdso_has_a_table),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
