// SPDX-License-Identifier: BSD-2-Clause
/* What following the code finds, against what the compiler says in its call frame information: of
 * this very program. */
#include "unwind/elf_file.h"
#include "unwind/flow.h"
#include "unwind/load.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

struct program {
	struct unwind_table table;
	const uint8_t *bytes;
	struct flow flow;
	unsigned functions, known, unknown;
};

static void open_program(struct program *program)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *bytes;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	memset(program, 0, sizeof(*program));
	program->bytes = bytes;
	assert_int_equal(unwind_load(fd, &program->table), 0);
	close(fd);
}

/* What clang says leaves out epilogues, and what its sanitizers bring in assembly says nothing of
 * its pushes: there all is followed, and not compared. */
#ifdef __clang__
#define IS_TOLD_WHOLE false
#else
#define IS_TOLD_WHOLE true
#endif

/* Compilers do not say where a register has its value again before the word is popped. */
static bool is_popped(const struct motion *motion, const struct unwind_place *bp)
{
	return motion->saved == MOTION_KEPT && bp->where == UNWIND_AT_CFA &&
	       motion->sp != MOTION_UNKNOWN && motion->sp + bp->offset <= 0;
}

static void compare(struct program *program, const struct motion *motion, uint64_t offset)
{
	const struct unwind_row *row = unwind_find(&program->table, offset);
	const struct unwind_rule *rule = &program->table.rules[row->rule];
	const struct unwind_place *bp = &rule->saved[UNWIND_SAVED_BP];
	int said = rule->cfa_register == UNWIND_SP ? motion->sp : motion->bp;

	if (row->rule < UNWIND_FIRST_RULE || rule->flags || rule->cfa_register > UNWIND_BP ||
	    said == MOTION_UNKNOWN) {
		program->unknown++;
		return;
	}
	program->known++;
	if (!IS_TOLD_WHOLE)
		return;
	assert_int_equal(said, rule->cfa_offset);
	if (motion->saved != MOTION_UNKNOWN && !is_popped(motion, bp))
		assert_int_equal(motion->saved, bp->where == UNWIND_AT_CFA ? bp->offset : 0);
}

static bool read_file(const struct flow_code *code, int64_t at, void *ret, size_t size)
{
	const uint8_t *file = code->bytes - code->offset;
	uint64_t offset;

	/* The segments' headers are within what any file has. */
	if (!unwind_elf_moved(file, 1024, code->offset, at, &offset))
		return false;
	memcpy(ret, file + offset, size);
	return true;
}

static void follow(struct program *program, size_t start, size_t end)
{
	struct flow_code code = {.bytes = program->bytes + start,
				 .size = end - start,
				 .offset = (uint32_t)start,
				 .alignment = 16,
				 .read = read_file};
	const struct motion *motion;
	int ret = flow_follow(&program->flow, &code);

	assert_true(ret >= 0);
	if (ret)
		return; /* it ends in a call that does not return, most often */
	program->functions++;
	for (size_t at = 0; at < code.size; at += flow_length(&program->flow, at)) {
		motion = flow_motion(&program->flow, at);
		if (motion)
			compare(program, motion, start + at);
	}
}

static void code_says_what_the_compiler_says(void **state)
{
	struct program program;
	const struct unwind_row *rows;
	size_t count;

	(void)state;
	open_program(&program);
	rows = program.table.rows;
	count = program.table.row_count;
	for (size_t first = 0, next; first < count; first = next) {
		const struct unwind_rule *rule = &program.table.rules[rows[first].rule];

		for (next = first + 1; next < count && rows[next].back; next++)
			;
		if (next < count && rows[first].rule >= UNWIND_FIRST_RULE && !rule->flags &&
		    rule->cfa_register == UNWIND_SP && rule->cfa_offset == 8)
			follow(&program, rows[first].offset, rows[next].offset);
	}
	assert_true(program.functions > 50 && program.known > 1000);
	assert_true(program.unknown < program.known);
	flow_done(&program.flow);
	unwind_table_done(&program.table);
}

/* ---- what a compiler does not do ---- */

struct piece {
	const char *bytes;
	size_t size;
	size_t at;  /* where it is looked at */
	int sp, bp; /* MOTION_UNKNOWN: not known */
};

#define PIECE(bytes, ...)                             \
	{                                             \
		bytes, sizeof(bytes) - 1, __VA_ARGS__ \
	}

static void what_is_not_certain_is_not_known(void **state)
{
	static const struct piece pieces[] = {
		/* push %rbx; ret's own word is written over; nop */
		PIECE("\x53\x48\x89\x44\x24\x08\x90\xc3", 6, MOTION_UNKNOWN, MOTION_UNKNOWN),
		/* push %rbx; a word above it is; nop */
		PIECE("\x53\x48\x89\x44\x24\x10\x90\xcc", 6, 16, MOTION_UNKNOWN),
		/* pop %rcx, which is the return address; nop */
		PIECE("\x59\x90\xcc", 1, MOTION_UNKNOWN, MOTION_UNKNOWN),
		/* push %rbp; mov %rsp,%rbp; movl $0,-4(%rbp), below the caller's; nop */
		PIECE("\x55\x48\x89\xe5\xc7\x45\xfc\x00\x00\x00\x00\x90\xcc", 11, 16, 16),
		/* The same of -3(%rbp) */
		PIECE("\x55\x48\x89\xe5\xc7\x45\xfd\x00\x00\x00\x00\x90\xcc", 11, MOTION_UNKNOWN,
		      MOTION_UNKNOWN),
		/* push %rbp; mov %rsp,%rbp; movsd %xmm0,-8(%rbp); movups %xmm0,-8(%rbp); nop */
		PIECE("\x55\x48\x89\xe5\xf2\x0f\x11\x45\xf8\x0f\x11\x45\xf8\x90\xcc", 9, 16, 16),
		PIECE("\x55\x48\x89\xe5\xf2\x0f\x11\x45\xf8\x0f\x11\x45\xf8\x90\xcc", 13,
		      MOTION_UNKNOWN, MOTION_UNKNOWN),
		/* push %rbp; mov %rsp,%rbp; sub %rax,%rsp; nop */
		PIECE("\x55\x48\x89\xe5\x48\x29\xc4\x90\xcc", 7, MOTION_UNKNOWN, 16),
		/* je 1f; push %rax; 1: nop */
		PIECE("\x74\x01\x50\x90\xcc", 3, MOTION_UNKNOWN, MOTION_UNKNOWN),
		/* xchg %rax,%rsp; nop */
		PIECE("\x48\x94\x90\xcc", 2, MOTION_UNKNOWN, MOTION_UNKNOWN),
		/* mov $1,%ch, whose number is that of %rbp; nop */
		PIECE("\x55\x48\x89\xe5\xb5\x01\x90\xcc", 6, 16, 16),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct flow_code code = {.bytes = (const uint8_t *)pieces[i].bytes,
					 .size = pieces[i].size,
					 .alignment = 16};
		struct flow flow = {0};
		const struct motion *motion;

		assert_int_equal(flow_follow(&flow, &code), 0);
		motion = flow_motion(&flow, pieces[i].at);
		assert_int_equal(motion ? motion->sp : MOTION_UNKNOWN, pieces[i].sp);
		assert_int_equal(motion ? motion->bp : MOTION_UNKNOWN, pieces[i].bp);
		flow_done(&flow);
	}
}

/* V8's built-in functions take where they return to off the stack, put arguments there and give it
 * back. */
static void a_call_may_be_put_elsewhere(void **state)
{
	static const struct moved {
		struct piece piece;
		int call; /* 0: nothing is known */
	} pieces[] = {
		/* pop %rax; push %rbx; pushq 8(%rax); push %rax; nop; ret */
		{PIECE("\x58\x53\xff\x70\x08\x50\x90\xc3", 0, 8, MOTION_UNKNOWN), -8},
		{PIECE("\x58\x53\xff\x70\x08\x50\x90\xc3", 1, 0, 0), 0},
		{PIECE("\x58\x53\xff\x70\x08\x50\x90\xc3", 5, 0, 0), 0},
		{PIECE("\x58\x53\xff\x70\x08\x50\x90\xc3", 6, 24, MOTION_UNKNOWN), -24},
		/* pop %rax; push %rbx; push %rax; push %rbp; mov %rsp,%rbp; nop; leave; ret */
		{PIECE("\x58\x53\x50\x55\x48\x89\xe5\x90\xc9\xc3", 7, 24, 24), -16},
		{PIECE("\x58\x53\x50\x55\x48\x89\xe5\x90\xc9\xc3", 9, 16, MOTION_UNKNOWN), -16},
		/* Another register is pushed; it holds something else; the stack has gone on. */
		{PIECE("\x58\x53\x51\x90\xcc", 3, 0, 0), 0},
		{PIECE("\x58\x31\xc0\x50\x90\xcc", 4, 0, 0), 0},
		{PIECE("\x58\x5b\x50\x90\xcc", 3, 0, 0), 0},
		/* je 1f; pop %rax; push %rbx; push %rax; 1: nop */
		{PIECE("\x74\x03\x58\x53\x50\x90\xcc", 5, 0, 0), 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		const struct piece *piece = &pieces[i].piece;
		struct flow_code code = {.bytes = (const uint8_t *)piece->bytes,
					 .size = piece->size,
					 .alignment = 16,
					 .is_v8 = true};
		struct flow flow = {0};
		const struct motion *motion;

		assert_int_equal(flow_follow(&flow, &code), 0);
		motion = flow_motion(&flow, piece->at);
		assert_int_equal(motion ? motion->call : 0, pieces[i].call);
		if (motion) {
			assert_int_equal(motion->sp, piece->sp);
			assert_int_equal(motion->bp, piece->bp);
			assert_int_equal(motion_rule(motion).saved[UNWIND_RETURN].offset,
					 motion->call);
		}
		flow_done(&flow);
	}
}

/* A switch: what is compared, what is done with the number, and with the table's entry. */
#define SWITCH(name, compare, number, entry)                                          \
	__asm__(".pushsection .rodata\n"                                              \
		".balign 4\n" #name "_table:\n"                                       \
		" .long " #name "_case - " #name "_table\n"                           \
		" .long " #name "_end - " #name "_table\n"                            \
		" .long 0\n"                                                          \
		".popsection\n"                                                       \
		".pushsection .text." #name ",\"ax\"\n"                               \
		".globl " #name ", " #name "_case, " #name "_last\n" #name ":\n"      \
		" push %rbp\n mov %rsp, %rbp\n sub $48, %rsp\n" compare "\n"          \
		" ja " #name "_end\n" number "\n"                                     \
		" lea " #name "_table(%rip), %rcx\n"                                  \
		" movslq (%rcx,%rax,4), %rdx\n" entry "\n"                            \
		" jmp *%rdx\n" #name "_case: nop\n" #name "_end: leave\n ret\n" #name \
		"_last:\n.popsection");                                               \
	extern const uint8_t name[], name##_case[], name##_last[]

#define ADD "add %rcx, %rdx"

SWITCH(bound_of_it, "mov %edi, %eax\n cmp $1, %eax", "", ADD);
SWITCH(bound_of_copy, "cmp $1, %edi", "mov %edi, %eax", ADD);
SWITCH(copied_before, "mov %edi, %eax\n cmp $1, %edi", "", ADD);
SWITCH(of_a_byte, "cmp $1, %al", "movzbl %al, %eax\n nopl 8(%rdi)",
       "add %rdx, %rcx\n mov %rcx, %rdx");
SWITCH(of_high_registers, "cmp $1, %r9d", "mov %r9d, %eax", ADD);
SWITCH(no_bound, "test %eax, %eax", "", ADD);
SWITCH(other_bound, "cmp $1, %esi", "mov %edi, %eax", ADD);
SWITCH(changed_since, "mov %edi, %eax\n inc %edi\n cmp $1, %edi", "", ADD);
SWITCH(number_changed, "cmp $1, %eax", "and $7, %eax", ADD);
SWITCH(not_added, "cmp $1, %eax", "", "xor %rcx, %rdx");
SWITCH(table_too_short, "cmp $2, %eax", "", ADD);

/* It is in memory as in the file. */
static bool read_own(const struct flow_code *code, int64_t at, void *ret, size_t size)
{
	memcpy(ret, code->bytes + at, size);
	return true;
}

static void a_table_says_where_a_switch_goes(void **state)
{
	const struct {
		const uint8_t *start, *reached, *end;
		bool is_known;
	} switches[] = {
		{bound_of_it, bound_of_it_case, bound_of_it_last, true},
		{bound_of_copy, bound_of_copy_case, bound_of_copy_last, true},
		{copied_before, copied_before_case, copied_before_last, true},
		{of_high_registers, of_high_registers_case, of_high_registers_last, true},
		{of_a_byte, of_a_byte_case, of_a_byte_last, false}, /* where it jumps is copied */
		{no_bound, no_bound_case, no_bound_last, false},
		{other_bound, other_bound_case, other_bound_last, false},
		{changed_since, changed_since_case, changed_since_last, false},
		{number_changed, number_changed_case, number_changed_last, false},
		{not_added, not_added_case, not_added_last, false},
		{table_too_short, table_too_short_case, table_too_short_last, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++) {
		/* Where a function may begin it is not known whose the code is. */
		struct flow_code code = {.bytes = switches[i].start,
					 .size = (size_t)(switches[i].end - switches[i].start),
					 .alignment = 1,
					 .read = read_own};
		size_t at = (size_t)(switches[i].reached - switches[i].start);
		struct flow flow = {0};
		const struct motion *motion;

		assert_int_equal(flow_follow(&flow, &code), 0);
		motion = flow_motion(&flow, at);
		if (!motion != !switches[i].is_known)
			fail_msg("switch %zu is %sfollowed", i, motion ? "" : "not ");
		if (motion) {
			assert_int_equal(motion->sp, 64);
			assert_int_equal(motion->bp, 16);
		}
		code.read = NULL;
		assert_int_equal(flow_follow(&flow, &code), 0);
		assert_null(flow_motion(&flow, at));
		flow_done(&flow);
	}
}

/* Two calls return to where a function may begin: behind the second one it does. */
static void what_comes_behind_the_last_call_is_another(void **state)
{
	static const char text[] =
		"\x55\x48\x89\xe5\x50\x75\x24" /* push %rbp; mov %rsp,%rbp; push %rax; jne 43 */
		"\x90\x90\x90\x90\xe8\x00\x01\x00\x00"			   /* the first, at 11 */
		"\x58\x5d\xc3\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" /* pop; pop %rbp; ret */
		"\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
		"\xe8\x00\x01\x00\x00" /* the second, at 43 */
		"\x90\xc3";
	struct flow_code code = {.bytes = (const uint8_t *)text,
				 .size = sizeof(text) - 1,
				 .alignment = 16,
				 .has_traps = true};
	struct flow flow = {0};

	(void)state;
	assert_int_equal(flow_follow(&flow, &code), 0);
	assert_non_null(flow_motion(&flow, 16));
	assert_non_null(flow_motion(&flow, 43));
	assert_null(flow_motion(&flow, 48));
	flow_done(&flow);
}

static void what_cannot_be_is_in_doubt(void **state)
{
	static const struct piece pieces[] = {
		PIECE("\x50\xc3", FLOW_DOUBTFUL, 0, 0),		  /* push %rax; ret */
		PIECE("\xc9\xc3", FLOW_DOUBTFUL, 0, 0),		  /* leave; ret */
		PIECE("\x50\xeb\x10", FLOW_LONGER, 0, 0),	  /* push %rax; jmp . + 18 */
		PIECE("\x50\xeb\x80", FLOW_DOUBTFUL, 0, 0),	  /* and back */
		PIECE("\xe9\x00\x10\x00\x00", 0, 0, 0),		  /* jmp, as in place of a call */
		PIECE("\x55\x48\x89\xe5\x90", FLOW_LONGER, 0, 0), /* it goes on behind its end */
		/* push %rax; call, the last of all, which does not return */
		PIECE("\x50\xe8\x00\x10\x00\x00", 0, 0, 0),
		/* The same, and nop up to where the next may begin: ret */
		PIECE("\x50\xe8\x00\x10\x00\x00\x0f\x1f\x44\x00\x00"
		      "\x0f\x1f\x44\x00\x00\xc3",
		      0, 0, 0),
		/* and up to elsewhere */
		PIECE("\x50\xe8\x00\x10\x00\x00\x90\xc3", FLOW_DOUBTFUL, 0, 0),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		struct flow_code code = {.bytes = (const uint8_t *)pieces[i].bytes,
					 .size = pieces[i].size,
					 .alignment = 16};
		struct flow flow = {0};

		assert_int_equal(flow_follow(&flow, &code), pieces[i].at);
		flow_done(&flow);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_says_what_the_compiler_says),
		cmocka_unit_test(what_is_not_certain_is_not_known),
		cmocka_unit_test(a_call_may_be_put_elsewhere),
		cmocka_unit_test(a_table_says_where_a_switch_goes),
		cmocka_unit_test(what_comes_behind_the_last_call_is_another),
		cmocka_unit_test(what_cannot_be_is_in_doubt),
	};

	return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
