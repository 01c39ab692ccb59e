// SPDX-License-Identifier: BSD-2-Clause
/* Walks up this program's own stacks by the tables of the files that it is made of, held against
 * what the compiler's own unwinder finds; and the same by tables that were changed at random. */
#include "unwind/callers.h"

#include "base/maps_line.h"
#include "unwind/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <alloca.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { MOST = 128, FILES = 64, PIECE = 65536, ROUNDS = 20000 };
#define NOINLINE __attribute__((noinline))

/* ---- the code that is mapped ---- */

static struct code {
	uint64_t start, end, base; /* a file's offsets are addresses - base */
	struct unwind_table table;
} files[FILES];

static size_t file_count;

static void load_file(const struct maps_line *line)
{
	struct code *file = &files[file_count++];
	int fd = open(line->path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0 && file_count < FILES);
	*file = (struct code){line->start, line->end, line->start - line->offset, {0}};
	assert_int_equal(unwind_load(fd, &file->table), 0);
	close(fd);
}

static void load_files(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct maps_line line;
	char text[4200];

	assert_non_null(maps);
	while (fgets(text, sizeof(text), maps)) {
		text[strcspn(text, "\n")] = 0;
		if (maps_line_parse(text, &line) && line.rights[2] == 'x' && *line.path == '/')
			load_file(&line);
	}
	(void)fclose(maps);
}

static enum unwind_end find_site(void *context, uint64_t address, struct unwind_site *ret_site)
{
	for (size_t i = 0; i < file_count; i++) {
		if (address - files[i].start >= files[i].end - files[i].start)
			continue;
		*ret_site =
			(struct unwind_site){i, address - files[i].base, &files[i].table, false};
		return UNWIND_GOES_ON;
	}
	return UNWIND_NO_RULE;
}

/* ---- stacks ---- */

static struct stack {
	uint64_t registers[16];
	struct unwind_frame frame;
	uint8_t *piece; /* heap: what lies from the stack pointer on */
	uint64_t size;
	uint64_t truth[MOST]; /* from take_stack() on */
	uint32_t truth_count;
	uint64_t reads;
} stacks[3];

static size_t stack_count;

/* Read as another process would, for no sanitizer to mind. */
static void copy_stack(struct stack *stack)
{
	struct iovec local = {malloc(PIECE), PIECE}, remote = {(void *)stack->frame.sp, PIECE};
	ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	assert_true(got > 0);
	stack->piece = realloc(local.iov_base, (size_t)got);
	stack->size = (uint64_t)got;
}

static _Unwind_Reason_Code take_truth(struct _Unwind_Context *context, void *taken)
{
	struct stack *stack = taken;

	assert_true(stack->truth_count < MOST);
	stack->truth[stack->truth_count] = _Unwind_GetIP(context);
	stack->truth_count += !!stack->truth[stack->truth_count]; /* behind the last is none */
	return _URC_NO_REASON;
}

NOINLINE static void take_stack(void)
{
	static const uint8_t order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
					  REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};
	struct stack *stack = &stacks[stack_count++];
	ucontext_t here;

	_Unwind_Backtrace(take_truth, stack);
	assert_int_equal(getcontext(&here), 0);
	for (unsigned i = 0; i < 16; i++)
		stack->registers[i] = (uint64_t)here.uc_mcontext.gregs[order[i]];
	stack->frame = (struct unwind_frame){
		.ip = (uint64_t)here.uc_mcontext.gregs[REG_RIP],
		.sp = stack->registers[7],
		.bp = stack->registers[6],
		.bx = stack->registers[3],
		.registers = stack->registers,
		.has_bp = true,
		.has_bx = true,
		.is_exact = true,
	};
	copy_stack(stack);
}

static volatile unsigned after;

NOINLINE static void go_down(unsigned depth)
{
	volatile char *room = alloca(depth * 16 + 8);

	room[depth] = 1;
	if (depth)
		go_down(depth - 1);
	else
		take_stack();
	after += (unsigned)room[depth];
}

static bool is_taken;

static int compare(const void *a, const void *b)
{
	if (!is_taken)
		go_down(6);
	is_taken = true;
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void sort(void)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = i * 7919 % 40;
	is_taken = false;
	qsort(numbers, 40, sizeof(*numbers), compare);
	after++;
}

static void handle(int number)
{
	sort();
	after += (unsigned)number;
}

static int begin(void **state)
{
	load_files();
	go_down(3);
	sort();
	assert_true(signal(SIGUSR1, handle) != SIG_ERR);
	raise(SIGUSR1);
	return 0;
}

static int end(void **state)
{
	while (stack_count)
		free(stacks[--stack_count].piece);
	while (file_count)
		unwind_table_done(&files[--file_count].table);
	return 0;
}

/* ---- walks ---- */

struct path {
	struct unwind_call calls[MOST];
	uint32_t count;
	enum unwind_end end;
};

static int read_word(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	struct stack *stack = context;
	uint64_t at = address - stack->registers[7];

	stack->reads++;
	if (at > stack->size || size > stack->size - at)
		return 0;
	*ret_word = 0;
	memcpy(ret_word, stack->piece + at, size);
	return 1;
}

static void walk(struct stack *stack, bool no_fold, struct path *path)
{
	struct unwind_walk up = {.frame = stack->frame,
				 .word_size = 8,
				 .most = MOST,
				 .calls = path->calls,
				 .no_fold = no_fold,
				 .find = find_site,
				 .read = read_word,
				 .context = stack};

	stack->reads = 0;
	path->end = unwind_callers(&up, /* has_sample= */ true);
	path->count = up.count;
}

static uint64_t address_of(const struct unwind_call *call)
{
	assert_true(call->space < file_count);
	return files[call->space].base + call->offset;
}

/* How many innermost calls of PATH are the stack's. */
static uint32_t right_calls(const struct stack *stack, const struct path *path)
{
	uint32_t i = 0;

	while (i < path->count && i + 1 < stack->truth_count &&
	       address_of(&path->calls[i]) == stack->truth[i + 1])
		i++;
	return i;
}

static void walks_are_what_the_compilers_unwinder_finds(void **state)
{
	struct path path;

	for (size_t i = 0; i < stack_count; i++) {
		walk(&stacks[i], /* no_fold= */ true, &path);
		assert_int_equal(path.end, UNWIND_WHOLE);
		assert_int_equal(path.count + 1, stacks[i].truth_count);
		assert_int_equal(right_calls(&stacks[i], &path), path.count);
	}
}

/* ---- changed tables ---- */

static uint64_t number;

static unsigned draw(unsigned below)
{
	number = number * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(number >> 33) % below;
}

static int16_t draw_words(void)
{
	return (int16_t)(8 * ((int)draw(33) - 16));
}

/* What a table was of one place that a walk comes to. */
struct change {
	struct unwind_row *row, row_was;
	struct unwind_rule *rule, rule_was;
};

static void change_rule(struct unwind_rule *rule)
{
	struct unwind_place *place = &rule->saved[draw(UNWIND_SAVED_COUNT)];

	switch (draw(5)) {
	case 0:
		rule->cfa_offset = (int32_t)((unsigned)rule->cfa_offset + (unsigned)draw_words());
		break;
	case 1:
		rule->cfa_register = (uint8_t)draw(8);
		break;
	case 2:
		place->offset = (int16_t)(place->offset + draw_words());
		break;
	case 3:
		place->where = (uint16_t)draw(UNWIND_IN_REGISTER + 1);
		break;
	default:
		((uint8_t *)rule)[draw(sizeof(*rule))] ^= (uint8_t)(1 << draw(8));
	}
}

static void change(const struct path *path, struct change *made)
{
	const struct unwind_call *call = &path->calls[draw(path->count)];
	struct unwind_table *table = &files[call->space].table;

	made->row = (struct unwind_row *)unwind_find(table, call->offset - !call->interrupted);
	made->row_was = *made->row;
	made->rule = &table->rules[made->row->rule];
	made->rule_was = *made->rule;
	if (made->row->rule < UNWIND_FIRST_RULE || !draw(5))
		made->row->rule = (uint16_t)draw((unsigned)table->rule_count);
	else
		change_rule(made->rule);
}

static void change_back(const struct change *made)
{
	*made->rule = made->rule_was;
	*made->row = made->row_was;
}

enum verdict { RIGHT, CUT, WRONG, VERDICTS };

static enum verdict judge(const struct stack *stack, const struct path *path)
{
	if (right_calls(stack, path) < path->count)
		return WRONG;
	if (path->end != UNWIND_WHOLE)
		return CUT;
	return path->count + 1 == stack->truth_count ? RIGHT : WRONG;
}

/* Walk by tables with COUNT changes that this walk meets, if it comes so far. */
static enum verdict walk_changed(struct stack *stack, const struct path *whole, unsigned count)
{
	struct change made[8];
	enum verdict verdict;
	struct path path;

	for (unsigned i = 0; i < count; i++)
		change(whole, &made[i]);
	walk(stack, /* no_fold= */ true, &path);
	assert_true(path.end > UNWIND_GOES_ON && path.end < UNWIND_END_COUNT);
	/* Each step keeps a call, and reads where the CFA is and what was saved. */
	assert_true(path.count <= MOST &&
		    stack->reads <= (path.count + 2) * (1 + UNWIND_SAVED_COUNT));
	verdict = judge(stack, &path);
	walk(stack, /* no_fold= */ false, &path);
	assert_true(path.end > UNWIND_GOES_ON && path.end < UNWIND_END_COUNT);
	while (count)
		change_back(&made[--count]);
	return verdict;
}

/* A rule that is wrong may lead to another word that is a code's address: one of a call before, or
 * of an outer one.  Nothing tells it from what a right rule finds, so that not all is cut that is
 * not right: of one changed rule or row, 4 % of the paths are wrong, and a quarter of these say
 * that they are whole.  (That a call stands before each return address would leave 2 %, and cut
 * what is right: behind makecontext(), Go's goroutines, retpolines.)  All else is cut, by the
 * checks of each step. */
static void changed_tables_cut(void **state)
{
	static const unsigned changes[] = {1, 8};
	struct path whole;

	for (size_t i = 0; i < stack_count; i++) {
		walk(&stacks[i], /* no_fold= */ true, &whole);
		for (size_t j = 0; j < 2; j++) {
			unsigned verdicts[VERDICTS] = {0};

			for (number = 1; number <= ROUNDS; number++) {
				uint64_t seed = number;

				verdicts[walk_changed(&stacks[i], &whole, changes[j])]++;
				number = seed;
			}
			print_message("# %u changes: %u right, %u cut, %u wrong\n", changes[j],
				      verdicts[RIGHT], verdicts[CUT], verdicts[WRONG]);
			assert_true(verdicts[CUT] > ROUNDS / 2 && verdicts[WRONG] < ROUNDS / 4);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(walks_are_what_the_compilers_unwinder_finds),
		cmocka_unit_test(changed_tables_cut),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
