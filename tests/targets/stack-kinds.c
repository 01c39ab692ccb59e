// SPDX-License-Identifier: BSD-2-Clause
/* stack-kinds SMALL LARGE: spins behind calls that are no plain ones: in children, on stacks of
 * their own, after jumps, behind code without call frame information, and in two libraries
 * (stack-library.c) that take turns at one address.  A function's name tells its callers, as in
 * stacks.c. */
#include "leaf.h"

#include <ctype.h>
#include <dlfcn.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

LEAF(k_fork_end);
LEAF(k_vfork_end);
LEAF(k_executed_end);
LEAF(k_cloned_end);
LEAF(k_context_end);
LEAF(k_back_end);
LEAF(k_jumped_end);
LEAF(k_chosen_end);
LEAF(k_bare_end);
LEAF(k_page_end);
LEAF(k_lost_end);
LEAF(k_loaded_end);

static char stack[1 << 16] __attribute__((aligned(16)));

static void wait_for(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		truth_fail("a child");
}

NOINLINE static void k_fork(void)
{
	pid_t child = fork();

	if (!child) {
		k_fork_end();
		_exit(0);
	}
	wait_for(child);
}

/* The child is on its parent's stack. */
NOINLINE static void k_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		k_vfork_end();
		_exit(0);
	}
	wait_for(child);
}

NOINLINE static void k_executed(void)
{
	k_executed_end();
	after++;
}

static void execute(const char *program)
{
	pid_t child = fork();

	if (!child) {
		execl(program, program, (char *)NULL);
		_exit(1);
	}
	wait_for(child);
}

static int k_cloned(void *context)
{
	(void)context;
	k_cloned_end();
	after++;
	return 0;
}

static void k_clone(void)
{
	wait_for(clone(k_cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
}

static void k_context(void)
{
	k_context_end();
	after++;
}

NOINLINE static void k_contexts(void)
{
	ucontext_t here, there;

	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = sizeof(stack);
	there.uc_link = &here;
	makecontext(&there, k_context, 0);
	swapcontext(&here, &there);
	k_back_end();
	after++;
}

static jmp_buf place;

NOINLINE static void k_jump_from(int depth)
{
	volatile char room[100];

	room[depth] = 1;
	if (!depth && room[0])
		longjmp(place, 1);
	if (depth)
		k_jump_from(depth - 1);
	after += room[depth];
}

NOINLINE static void k_jumps(void)
{
	if (!setjmp(place))
		k_jump_from(20);
	k_jumped_end();
	after++;
}

/* The linker's code for calls into libraries, again and again. */
NOINLINE static void k_plt(void)
{
	for (unsigned long i = truth_turns_per_ms * 5; i; i--)
		after += (unsigned long)(isalpha)((int)(after & 127));
}

/* clang does not see that it is used. */
static leaf *__attribute__((used)) choose(void)
{
	return k_chosen_end;
}

static void chosen(void) __attribute__((ifunc("choose")));

NOINLINE static void k_chooses(void)
{
	chosen();
	after++;
}

/* k_bare: nothing says how large its frame is.  k_lost: calls CODE with END, and with a frame
 * pointer that is none. */
void k_bare(leaf *end);
void k_lost(const void *code, leaf *end, const void *frame);
#ifdef __x86_64__
#define WORD "8"
#define BARE "push %rbx; sub $64, %rsp; call *%rdi; add $64, %rsp; pop %rbx; ret\n"
#define LOST                                                         \
	"push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n" \
	"mov %rdx, %rbp; mov %rdi, %rax; mov %rsi, %rdi; call *%rax; pop %rbp\n"
/* sub $24, %rsp; call *%rdi; add $24, %rsp; ret */
static const unsigned char code[] = {0x48, 0x83, 0xec, 0x18, 0xff, 0xd7,
				     0x48, 0x83, 0xc4, 0x18, 0xc3};
#else
#define WORD "4"
#define BARE "push %ebx; sub $64, %esp; call *72(%esp); add $64, %esp; pop %ebx; ret\n"
#define LOST                                                          \
	"push %ebp\n.cfi_def_cfa_offset 8\n.cfi_offset %ebp, -8\n"    \
	"mov 16(%esp), %ebp; push 12(%esp)\n.cfi_def_cfa_offset 12\n" \
	"call *12(%esp); pop %ecx; pop %ebp\n"
/* sub $24, %esp; call *28(%esp); add $24, %esp; ret */
static const unsigned char code[] = {0x83, 0xec, 0x18, 0xff, 0x54, 0x24,
				     0x1c, 0x83, 0xc4, 0x18, 0xc3};
#endif
__asm__(".text\n"
	".type k_bare, @function\n"
	"k_bare: " BARE ".size k_bare, . - k_bare\n"
	".type k_lost, @function\n"
	"k_lost:\n"
	".cfi_startproc\n" LOST ".cfi_def_cfa_offset " WORD "\n"
	"ret\n"
	".cfi_endproc\n"
	".size k_lost, . - k_lost\n");

NOINLINE static void k_calls_bare(void)
{
	k_bare(k_bare_end);
	after++;
}

/* Code in memory of no file. */
static const void *make_page(void)
{
	unsigned char *page =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		truth_fail("mmap");
	memcpy(page, code, sizeof(code));
	if (mprotect(page, 4096, PROT_READ | PROT_EXEC))
		truth_fail("mprotect");
	return page;
}

/* Without a frame pointer: with that of an outer call, what is between would be missing. */
NOINLINE static void k_calls_page(void)
{
	k_lost(make_page(), k_page_end, NULL);
	after++;
}

/* What would be a caller's address lies in the stack, or in the program's own memory. */
NOINLINE static void k_calls_lost(void)
{
	volatile uintptr_t frame[2] = {0, (uintptr_t)frame};

	k_lost(make_page(), k_lost_end, (const void *)frame);
	frame[1] = (uintptr_t)stack;
	k_lost(make_page(), k_lost_end, (const void *)frame);
	after++;
}

/* Where the last two functions were that were loaded, and how often it was one place. */
static struct {
	leaf *last;
	unsigned again;
} loaded;

NOINLINE static void k_loads(const char *path, const char *name)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*call)(leaf *) = library ? (void (*)(leaf *))dlsym(library, name) : NULL;

	if (!call)
		truth_fail(path);
	loaded.again += (leaf *)call == loaded.last;
	loaded.last = (leaf *)call;
	call(k_loaded_end);
	dlclose(library);
	after++;
}

int main(int argc, char **argv)
{
	truth_begin();
	if (argc < 3) {
		k_executed();
		return 0;
	}
	k_fork();
	k_vfork();
	execute(argv[0]);
	k_clone();
	k_contexts();
	k_jumps();
	k_plt();
	k_chooses();
	k_calls_bare();
	k_calls_page();
	k_calls_lost();
	for (int i = 0; i < 5; i++) {
		k_loads(argv[1], "k_small");
		k_loads(argv[2], "k_large");
	}
	if (!loaded.again)
		truth_fail("no address was used again");
	return 0;
}
