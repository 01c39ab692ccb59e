// SPDX-License-Identifier: BSD-2-Clause
/* Tables that are compiled from Go's, as an assembler made one. */
#include "named.h"

#include "unwind/compile.h"
#include "unwind/load.h"

#include <errno.h>
#include <fcntl.h>

/* Functions as Go's linker lists them; the stack pointer moves as it says they do. */
static const char source[] =
	".text\n"
	".globl _start, framed, framed_2, framed_9, leaf, assembled, top, writes, parks, parked\n"
	".globl switches, left, back, grows, grown, before, resumes, handles, covered\n"
	"text: _start: .skip 80, 0x90\n"
	"framed: nop; nop\n"
	"framed_2: .skip 7, 0x90\n"
	"framed_9: nop\n"
	"leaf: nop; nop\n"
	"assembled: nop; nop\n"
	"top: nop; nop\n"
	"writes: nop; nop\n"
	"parks: mov %rbp, 0x68(%r14); mov 0x38(%r14), %rsp\n"
	"parked: push %rax; call *%r12\n"
	"switches: mov %fs:-8, %rax; mov 0x30(%rax), %rbx; cmp 0x50(%rbx), %rax\n"
	" cmp 0xc0(%rbx), %rax; mov 0x38(%rdx), %rbx; mov %rbx, %rsp\n"
	"left: call *%rdi; mov 0x38(%rax), %rsp\n"
	"back: ret\n"
	"grows: mov (%rbx), %rbx; mov 0x38(%rbx), %rsp\n"
	"grown: call grows\n"
	"calls_c: mov 0x38(%rsi), %rsp; mov %rdi, 0x30(%rsp)\n"
	"called: call *%rax; mov %rsi, %rsp\n"
	"returned: mov %eax, 0x18(%rsp); ret\n"
	"called_here: call *%rax; mov %rsi, %rsp; ret\n"
	"before: nop\n"
	"resumes: nop; nop\n"
	"handles: nop; nop\n"
	"covered: .cfi_startproc; .cfi_undefined %rip; nop; nop; .cfi_endproc\n"
	"end: nop\n"
	".macro listed name; .long \\name - text, of_\\name - listed_; .endm\n"
	".macro record name, at, moves, flags\n"
	"of_\\name: .long \\name - text, \\at - names, 0, 0, \\moves - moves, 0, 0, 0, 0\n"
	" .byte 0, \\flags, 0, 0\n"
	".endm\n"
	".section .gopclntab, \"a\"\n"
	"table: .long 0xfffffff1; .byte 0, 0, 1, 8; .quad 14, 0, text\n"
	" .quad names - table, 0, 0, moves - table, listed_ - table\n"
	"names: .asciz \"any\"\n"
	"mcall: .asciz \"runtime.mcall\"\n"
	"systemstack: .asciz \"runtime.systemstack\"\n"
	"asmcgocall: .asciz \"runtime.asmcgocall\"\n"
	"morestack: .asciz \"runtime.morestack\"\n"
	"sigreturn: .asciz \"runtime.sigreturn__sigaction\"\n"
	"sigtramp: .asciz \"runtime.sigtramp\"\n"
	"moves: .byte 0\n"
	"by_24: .byte 2, 2, 48, 7, 47, 1, 0\n" /* 0 for 2 bytes, 24 for 7, 0 for 1 */
	"by_0: .byte 2, 2, 0\n"
	"by_8: .byte 2, 1, 16, 1, 0\n"
	"listed_: listed framed; listed leaf; listed assembled; listed top; listed writes\n"
	" listed parks; listed switches; listed grows; listed calls_c; listed before; listed "
	"resumes\n"
	" listed handles; listed covered; listed end; .long end + 1 - text\n"
	"record framed, names, by_24, 0\n"
	"record leaf, names, by_0, 0\n"
	"record assembled, names, by_8, 4\n"
	"record top, names, by_0, 5\n"
	"record writes, names, by_0, 6\n"
	"record parks, mcall, by_0, 6\n"
	"record switches, systemstack, by_0, 6\n"
	"record grows, morestack, by_0, 6\n"
	"record calls_c, asmcgocall, by_0, 6\n"
	"record before, names, by_0, 0\n"
	"record resumes, sigreturn, by_0, 4\n"
	"record handles, sigtramp, by_8, 5\n"
	"record covered, names, by_0, 0\n"
	"record end, names, moves, 0\n";

struct program {
	uint8_t *image;
	size_t size;
	char folder[2048], path[3000];
	struct unwind_table table;
};

static void build(struct program *program, const char *folder)
{
	FILE *file;

	snprintf(program->folder, sizeof(program->folder), "%s", folder);
	snprintf(program->path, sizeof(program->path), "%s/go", folder);
	write_text(folder, "go.s", source);
	/* Addresses are offsets in the file. */
	run_in(folder, "gcc -nostdlib -static -no-pie -Wl,-Ttext-segment=0 -Wl,--build-id=none "
		       "go.s -o go");
	file = fopen(program->path, "re");
	assert_non_null(file);
	program->image = malloc(1 << 20);
	assert_non_null(program->image);
	program->size = fread(program->image, 1, 1 << 20, file);
	fclose(file);
	assert_int_equal(unwind_compile(program->image, program->size, &program->table), 0);
}

static void program_done(struct program *program)
{
	unwind_table_done(&program->table);
	free(program->image);
}

static const struct unwind_row *row_at(const struct program *program, const char *name,
				       uint64_t offset)
{
	const struct unwind_row *row =
		unwind_find(&program->table, address_of(program->folder, "go", name) + offset);

	assert_non_null(row);
	return row;
}

static const struct unwind_rule *rule_at(const struct program *program, const char *name,
					 uint64_t offset)
{
	const struct unwind_row *row = row_at(program, name, offset);

	assert_true(row->rule >= UNWIND_FIRST_RULE && row->rule < program->table.rule_count);
	return &program->table.rules[row->rule];
}

static void assert_move(const struct unwind_rule *rule, int move, unsigned bp)
{
	assert_int_equal(rule->flags, 0);
	assert_int_equal(rule->cfa_register, UNWIND_SP);
	assert_int_equal(rule->cfa_offset, move + 8);
	assert_int_equal(rule->saved[UNWIND_RETURN].where, UNWIND_AT_CFA);
	assert_int_equal(rule->saved[UNWIND_RETURN].offset, -8);
	assert_int_equal(rule->saved[UNWIND_SAVED_BP].where, bp);
	assert_int_equal(rule->saved[UNWIND_SAVED_BP].offset, bp == UNWIND_AT_CFA ? -16 : 0);
}

static void the_stack_pointer_moves(void **state)
{
	struct program program;

	build(&program, *state);
	assert_move(rule_at(&program, "framed", 1), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "framed_2", 0), 24, UNWIND_AT_CFA);
	assert_move(rule_at(&program, "framed_2", 6), 24, UNWIND_AT_CFA);
	assert_move(rule_at(&program, "framed_9", 0), 0, UNWIND_SAME);
	assert_int_equal(row_at(&program, "framed_9", 0)->back, 2);
	assert_move(rule_at(&program, "leaf", 0), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "assembled", 0), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "assembled", 1), 8, UNWIND_LOST);
	/* What calls a signal's handler is not the end, whatever the table says. */
	assert_move(rule_at(&program, "handles", 1), 8, UNWIND_LOST);
	program_done(&program);
}

static void what_has_no_caller(void **state)
{
	struct program program;

	build(&program, *state);
	assert_int_equal(row_at(&program, "top", 0)->rule, UNWIND_OUTERMOST);
	assert_int_equal(row_at(&program, "writes", 0)->rule, UNWIND_UNKNOWN);
	assert_int_equal(row_at(&program, "end", 0)->rule, UNWIND_UNKNOWN);
	/* .eh_frame goes before. */
	assert_int_equal(row_at(&program, "covered", 0)->rule, UNWIND_OUTERMOST);
	assert_int_equal(rule_at(&program, "resumes", -1)->flags,
			 UNWIND_DEREFERENCE | UNWIND_SIGNAL);
	assert_int_equal(rule_at(&program, "resumes", 1)->saved[UNWIND_RETURN].offset, 168);
	program_done(&program);
}

static void stacks_are_switched(void **state)
{
	static const int16_t offsets[] = {0x30, 0xc0, 0x38};
	struct program program;
	const struct unwind_rule *rules[3];

	build(&program, *state);
	assert_move(rule_at(&program, "parks", 0), 0, UNWIND_SAME);
	assert_int_equal(row_at(&program, "parked", 0)->rule, UNWIND_OUTERMOST);
	assert_move(rule_at(&program, "switches", 0), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "back", 0), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "grows", 0), 0, UNWIND_SAME);
	rules[0] = rule_at(&program, "left", 0);
	rules[1] = rule_at(&program, "called", 1);
	rules[2] = rule_at(&program, "grown", 4);
	assert_move(rule_at(&program, "calls_c", 0), 0, UNWIND_SAME);
	assert_move(rule_at(&program, "returned", 0), 0, UNWIND_SAME);
	assert_int_equal(row_at(&program, "called_here", 0)->rule, UNWIND_UNKNOWN);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rules[i]->flags, UNWIND_OTHER_STACK);
		assert_int_equal(rules[i]->cfa_offset, -8);
		assert_int_equal(rules[i]->addend, i == 2 ? 0 : 8);
		for (int k = 0; k < UNWIND_SAVED_COUNT; k++)
			assert_int_equal(rules[i]->saved[k].offset, offsets[k]);
	}
	program_done(&program);
}

/* What is read of a file is enough. */
static void a_file_is_read_as_far_as_it_takes(void **state)
{
	struct unwind_table table = {0};
	struct program program;
	int fd;

	build(&program, *state);
	fd = open(program.path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(unwind_load(fd, &table), 0);
	assert_int_equal(table.row_count, program.table.row_count);
	assert_memory_equal(table.rows, program.table.rows, table.row_count * sizeof(*table.rows));
	unwind_table_done(&table);
	close(fd);
	program_done(&program);
}

static void damaged_files_harm_nobody(void **state)
{
	struct program program;
	struct unwind_table table;
	uint32_t seed = 1;

	build(&program, *state);
	for (int round = 0; round < 20000; round++) {
		size_t at = (seed = seed * 1103515245 + 12345) % program.size;
		uint8_t was = program.image[at];

		program.image[at] = (uint8_t)(seed >> 16);
		if (!unwind_compile(program.image, program.size, &table))
			for (size_t i = 0; i < table.row_count; i++) {
				assert_true(!i || table.rows[i - 1].offset < table.rows[i].offset);
				assert_true(table.rows[i].rule < UNWIND_FIRST_RULE ||
					    table.rows[i].rule < table.rule_count);
				assert_true(table.rows[i].back <= i);
			}
		unwind_table_done(&table);
		program.image[at] = was;
	}
	program_done(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stack_pointer_moves),
		cmocka_unit_test(what_has_no_caller),
		cmocka_unit_test(stacks_are_switched),
		cmocka_unit_test(a_file_is_read_as_far_as_it_takes),
		cmocka_unit_test(damaged_files_harm_nobody),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
