// SPDX-License-Identifier: BSD-2-Clause
/* Rows for code that no call frame information covers, in files made for it. */
#include "named.h"

#include "unwind/framed.h"
#include "unwind/load.h"
#include "unwind/table.h"

#include <fcntl.h>

/* A function without a frame, and one with; the filling before each, and their names.  Addresses
 * are offsets in the file. */
static const char both[] = "%s\n"
			   "%s 3:\n"
			   " test %%rdi, %%rdi\n"
			   " ret\n"
			   "%s\n"
			   "%s\n"
			   " test %%rdi, %%rdi\n"
			   " je 1f\n"
			   " push %%rbp\n"
			   " mov %%rsp, %%rbp\n"
			   " call 3b\n"
			   " test %%rax, %%rax\n"
			   " jne 2f\n"
			   " mov %%rbp, %%rsp\n"
			   " pop %%rbp\n"
			   " ret\n"
			   "2: mov 0(%%rbp), %%rbp\n"
			   " jmp *%%rax\n"
			   " call 3b\n"
			   "1: ret\n";

static const char format[] = ".text\n"
			     ".globl _start, bare, framed, last\n"
			     "_start:\n"
			     ".cfi_startproc\n"
			     " ret\n"
			     ".cfi_endproc\n"
			     ".rept %d\n"
			     "%s\n"
			     ".endr\n"
			     "%s\n"
			     "%s\n"
			     ".balign 64, 0xcc\n"
			     "last:\n"
			     ".cfi_startproc\n"
			     " ret\n"
			     ".cfi_endproc\n";

static const char at_the_end[] = ".globl ending, behind\n"
				 "ending:\n"
				 " cmp $0, %rdi\n"
				 " jne 1f\n"
				 " push %rbp\n"
				 " mov %rsp, %rbp\n"
				 " call behind\n"
				 " pop %rbp\n"
				 " ret\n"
				 "1: ret\n"
				 "behind:\n"
				 " push %rbp\n"
				 " mov %rsp, %rbp\n"
				 " pop %rbp\n"
				 " ret\n"
				 ".section .fini_array, \"aw\"\n"
				 " .quad last, ending\n"
				 ".text\n";

struct built {
	const char *folder;
	struct unwind_table table;
};

/* MORE stands behind COUNT times both. */
static void build(struct built *built, const char *folder, const char *filling, int count,
		  const char *more)
{
	char unnamed[1000], named[1000], source[3000], path[3000];
	int fd;

	snprintf(unnamed, sizeof(unnamed), both, filling, "", filling, "");
	snprintf(named, sizeof(named), both, filling, "bare:", filling, "framed:");
	snprintf(source, sizeof(source), format, count, unnamed, named, more);
	write_text(folder, "code.s", source);
	run_in(folder, "gcc -nostdlib -static -no-pie -Wl,-Ttext-segment=0 -Wl,--build-id=none "
		       "code.s -o code");
	snprintf(path, sizeof(path), "%s/code", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	built->folder = folder;
	assert_int_equal(unwind_load(fd, &built->table), 0);
	close(fd);
	for (size_t i = 1; i < built->table.row_count; i++)
		assert_true(built->table.rows[i - 1].offset < built->table.rows[i].offset);
}

static const struct unwind_row *row_at(const struct built *built, const char *function,
				       uint64_t offset)
{
	const struct unwind_row *row =
		unwind_find(&built->table, address_of(built->folder, "code", function) + offset);

	assert_non_null(row);
	return row;
}

static void assert_cfa(const struct built *built, const char *function, uint64_t offset,
		       unsigned base, int cfa, enum unwind_where bp)
{
	const struct unwind_row *row = row_at(built, function, offset);
	const struct unwind_rule *rule = &built->table.rules[row->rule];

	assert_true(row->rule >= UNWIND_FIRST_RULE && row->rule < built->table.rule_count);
	assert_int_equal(rule->cfa_register, base);
	assert_int_equal(rule->cfa_offset, cfa);
	assert_int_equal(rule->saved[UNWIND_RETURN].where, UNWIND_AT_CFA);
	assert_int_equal(rule->saved[UNWIND_RETURN].offset, -8);
	assert_int_equal(rule->saved[UNWIND_SAVED_BP].where, bp);
	assert_int_equal(rule->saved[UNWIND_SAVED_BX].where, UNWIND_LOST);
}

static void assert_none(const struct built *built, const char *function, uint64_t offset)
{
	assert_int_equal(row_at(built, function, offset)->rule, UNWIND_UNKNOWN);
}

static void a_frame_is_known_from_its_prologue_on(void **state)
{
	static const char *const fillings[] = {".byte 0xcc; .balign 64, 0xcc", ".balign 16"};

	for (size_t i = 0; i < 2; i++) {
		bool is_filled = i == 0; /* so that each function is seen */
		struct built built;

		build(&built, *state, fillings[i], 400, "");
		/* The first, less than a line behind what is covered. */
		if (is_filled)
			assert_cfa(&built, "_start", 64, UNWIND_SP, 8, UNWIND_SAME);
		for (unsigned at = 0; at < 5; at++) {
			if (is_filled && at < 4)
				assert_cfa(&built, "bare", at, UNWIND_SP, 8, UNWIND_SAME);
			else if (!is_filled && at < 4)
				assert_none(&built, "bare", at);
			if (is_filled)
				assert_cfa(&built, "framed", at, UNWIND_SP, 8, UNWIND_SAME);
			else
				assert_none(&built, "framed", at);
		}
		assert_cfa(&built, "framed", 5, UNWIND_SP, 8, UNWIND_SAME);
		assert_cfa(&built, "framed", 6, UNWIND_SP, 16, UNWIND_AT_CFA);
		assert_cfa(&built, "framed", 9, UNWIND_BP, 16, UNWIND_AT_CFA);
		assert_cfa(&built, "framed", 22, UNWIND_BP, 16, UNWIND_AT_CFA);
		assert_cfa(&built, "framed", 23, UNWIND_SP, 8, UNWIND_SAME); /* ret */
		assert_cfa(&built, "framed", 24, UNWIND_BP, 16, UNWIND_AT_CFA);
		/* jmp, the caller's frame pointer is back; what calls does to %rsp nobody knows */
		if (is_filled)
			assert_none(&built, "framed", 28);
		else
			assert_cfa(&built, "framed", 28, UNWIND_SP, 16, UNWIND_SAME);
		/* No jump leads there: a handler of exceptions, or anything. */
		if (is_filled)
			assert_cfa(&built, "framed", 30, UNWIND_BP, 16, UNWIND_AT_CFA);
		else
			assert_none(&built, "framed", 30);
		assert_int_equal(row_at(&built, "framed", 9)->back, 2);
		assert_int_equal(row_at(&built, "last", 0)->back, 0);
		assert_true(row_at(&built, "last", 0)->rule >= UNWIND_FIRST_RULE);
		unwind_table_done(&built.table);
	}
}

static bool is_sure(int fd, uint64_t offset, bool is_exact)
{
	struct unwind_answers answers = {0};
	bool is_right = unwind_answer(&answers, fd, 0, offset, is_exact, true)->is_sure;

	unwind_answers_done(&answers);
	return is_right;
}

/* In "framed", by the instruction that runs next; by the call that was made, its last byte. */
static void what_frame_pointers_say_is_judged(void **state)
{
	static const struct {
		unsigned at;
		bool is_exact, is_sure;
	} places[] = {
		{3, true, false},  /* je, before there is a frame: no function was seen to begin */
		{5, true, true},   /* push */
		{6, true, true},   /* mov */
		{9, true, true},   /* call, and */
		{13, false, true}, /* behind it */
		{14, true, true},
		{22, true, true}, /* pop */
		{23, true, true}, /* ret */
		{24, true, true},
		{28, true, false}, /* jmp, the frame pointer is the caller's again */
		{34, false, false},
	};
	struct built built;
	uint64_t start;
	char path[3000];
	int fd;

	build(&built, *state, ".balign 16", 400, "");
	start = address_of(built.folder, "code", "framed");
	snprintf(path, sizeof(path), "%s/code", built.folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (is_sure(fd, start + places[i].at, places[i].is_exact) != places[i].is_sure)
			fail_msg("%u is %ssure", places[i].at, places[i].is_sure ? "not " : "");
	assert_false(is_sure(fd, UINT64_C(1) << 40, true));
	close(fd);
	assert_false(is_sure(fd, start + 9, true));
	unwind_table_done(&built.table);
}

/* Behind int3 a function begins; it sets up a frame where it has to. */
static const char late[] = ".balign 16, 0xcc\n"
			   " ret\n"
			   ".balign 16, 0xcc\n"
			   ".globl late\n"
			   "late:\n"
			   " test %rdi, %rdi\n"
			   " jne 1f\n"
			   " push %rbx\n"
			   " pop %rbx\n"
			   " ret\n"
			   "1: push %rbp\n"
			   " mov %rsp, %rbp\n"
			   " nop\n"
			   " pop %rbp\n"
			   " jmp *%rax\n"
			   ".balign 16, 0xcc\n";

static void a_frame_may_come_late(void **state)
{
	static const struct {
		unsigned at;
		bool is_sure;
	} places[] = {
		{0, true},  /* test */
		{3, true},  /* jne */
		{5, true},  /* push %rbx */
		{6, false}, /* pop %rbx: it is one word further, where the walk does not look */
		{7, true},  /* ret */
		{8, true},  /* push %rbp */
		{12, true}, /* nop: by the frame pointer */
		{13, true}, /* pop %rbp */
		{14, true}, /* jmp */
	};
	struct built built;
	uint64_t start;
	char path[3000];
	int fd;

	build(&built, *state, ".balign 16", 400, late);
	start = address_of(built.folder, "code", "late");
	snprintf(path, sizeof(path), "%s/code", built.folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (is_sure(fd, start + places[i].at, /* is_exact= */ true) != places[i].is_sure)
			fail_msg("%u is %ssure", places[i].at, places[i].is_sure ? "not " : "");
	close(fd);
	unwind_table_done(&built.table);
}

/* In a small piece of code that is all whose beginning is known. */
static void what_is_called_at_the_end_has_rows(void **state)
{
	struct built built;

	build(&built, *state, ".balign 16", 1, at_the_end);
	assert_cfa(&built, "ending", 0, UNWIND_SP, 8, UNWIND_SAME);
	assert_cfa(&built, "ending", 6, UNWIND_SP, 8, UNWIND_SAME);
	assert_cfa(&built, "ending", 7, UNWIND_SP, 16, UNWIND_AT_CFA);
	assert_cfa(&built, "ending", 10, UNWIND_BP, 16, UNWIND_AT_CFA);
	assert_cfa(&built, "ending", 16, UNWIND_SP, 8, UNWIND_SAME);
	assert_cfa(&built, "ending", 17, UNWIND_SP, 8, UNWIND_SAME);
	assert_none(&built, "behind", 1);
	unwind_table_done(&built.table);
}

/* An int3 at the end of a cache line, as between functions; %s is what comes before and behind. */
static const char trapped[] = ".balign 64, 0xcc\n"
			      ".globl trapped\n"
			      "trapped:\n"
			      " push %%rbp\n"
			      " mov %%rsp, %%rbp\n"
			      "%s\n"
			      " int3\n"
			      " nop\n"
			      "1: leave\n"
			      " ret\n";

static bool has_rule(const struct built *built, uint64_t offset)
{
	return row_at(built, "trapped", offset)->rule >= UNWIND_FIRST_RULE;
}

static void a_trap_ends_no_function(void **state)
{
	static const struct {
		const char *before;
		bool is_known, is_known_behind;
	} cases[] = {
		{".fill 57, 1, 0x90; jmp 1f", true, true},
		{".fill 54, 1, 0x90; .byte 0xe9; .long 1f - . - 4", true, true},
		/* To the trap: what is behind it belongs here, and how it is reached nobody knows.
		 */
		{".byte 0x0f, 0x82; .long 53; .fill 51, 1, 0x90; leave; ret", true, false},
		{".byte 0x0f, 0x82; .long 52; .fill 50, 1, 0x90; leave; ret; int3", true, false},
		{".byte 0x0f, 0x82; .long 55; .fill 51, 1, 0x90; leave; ret", true, true},
		{".fill 57, 1, 0x90; leave; ret", true, false},
		{".fill 56, 1, 0x90; leave; ret; int3", true, false},
		/* Back, or behind the next: with a frame no function is left so. */
		{".fill 57, 1, 0x90; .byte 0xeb, 0x80", false, false},
		{".fill 54, 1, 0x90; .byte 0xe9; .long 65", false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct built built;
		char more[500];

		snprintf(more, sizeof(more), trapped, cases[i].before);
		build(&built, *state, ".byte 0xcc; .balign 64, 0xcc", 400, more);
		assert_int_equal(has_rule(&built, 4), cases[i].is_known);
		assert_int_equal(has_rule(&built, 65), cases[i].is_known_behind);
		unwind_table_done(&built.table);
	}
}

static void a_little_code_stays_as_it_is(void **state)
{
	struct built built;

	build(&built, *state, ".balign 16", 100, "");
	assert_none(&built, "framed", 9);
	assert_int_equal(built.table.row_count, 4);
	unwind_table_done(&built.table);
}

/* %s is what lies between the stack's alignment and its undoing; %d the bytes that are given back.
 */
static const char initial[] = ".section .init, \"ax\"\n"
			      ".globl first\n"
			      "first:\n"
			      "%s\n"
			      " sub $8, %%rsp\n"
			      " call bare\n"
			      " add $%d, %%rsp\n"
			      " ret\n"
			      ".text\n";

static unsigned cfa_at(const struct built *built, uint64_t offset)
{
	const struct unwind_row *row = row_at(built, "first", offset);

	assert_true(row->rule >= UNWIND_FIRST_RULE && row->rule < built->table.rule_count);
	assert_int_equal(built->table.rules[row->rule].cfa_register, UNWIND_SP);
	return (unsigned)built->table.rules[row->rule].cfa_offset;
}

static void what_runs_first_and_last_has_rows(void **state)
{
	static const char *const landings[] = {"", "endbr64"};
	char more[500];
	struct built built;

	for (unsigned i = 0; i < 2; i++) {
		unsigned at = i * 4;

		snprintf(more, sizeof(more), initial, landings[i], 8);
		build(&built, *state, ".balign 16", 1, more);
		assert_int_equal(cfa_at(&built, 0), 8);
		assert_int_equal(cfa_at(&built, at + 3), 8);
		assert_int_equal(cfa_at(&built, at + 4), 16);
		assert_int_equal(cfa_at(&built, at + 12), 16);
		assert_int_equal(cfa_at(&built, at + 13), 8); /* ret */
		assert_none(&built, "first", at + 14);
		unwind_table_done(&built.table);
	}
	snprintf(more, sizeof(more), initial, "", 16);
	build(&built, *state, ".balign 16", 1, more);
	assert_true(!unwind_find(&built.table, address_of(built.folder, "code", "first")) ||
		    row_at(&built, "first", 0)->rule == UNWIND_UNKNOWN);
	unwind_table_done(&built.table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_known_from_its_prologue_on),
		cmocka_unit_test(what_frame_pointers_say_is_judged),
		cmocka_unit_test(a_frame_may_come_late),
		cmocka_unit_test(what_is_called_at_the_end_has_rows),
		cmocka_unit_test(a_trap_ends_no_function),
		cmocka_unit_test(a_little_code_stays_as_it_is),
		cmocka_unit_test(what_runs_first_and_last_has_rows),
	};

	return cmocka_run_group_tests_name("prologue", tests, folder_make, folder_remove);
}
