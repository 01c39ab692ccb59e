/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes machine code at an address of its own choice, runs it, and executes itself to do the same
 * again: other code, at the same address, in the same process.  Each of the two tells profilers of
 * it in /tmp/perf-PID.map (which stays behind: whoever runs this removes it).
 *
 * A page has two functions with frame pointers: one counts down, and one calls what it is given. */

#include "truth.h"

#include <sys/mman.h>

#if defined(__x86_64__)
static const unsigned char loop[] = {0x55,		     /* push %rbp */
				     0x48, 0x89, 0xe5,	     /* mov %rsp, %rbp */
				     0x48, 0xff, 0xcf,	     /* 1: dec %rdi */
				     0x75, 0xfb,	     /* jnz 1b */
				     0x5d, 0xc3};	     /* pop %rbp; ret */
static const unsigned char call[] = {0x55, 0x48, 0x89, 0xe5, /* the same */
				     0xff, 0xd6,	     /* call *%rsi */
				     0x5d, 0xc3};
#elif defined(__aarch64__)
static const unsigned char loop[] = {0xfd, 0x7b, 0xbf, 0xa9,  /* stp x29, x30, [sp, #-16]! */
				     0xfd, 0x03, 0x00, 0x91,  /* mov x29, sp */
				     0x00, 0x04, 0x00, 0xf1,  /* 1: subs x0, x0, #1 */
				     0xe1, 0xff, 0xff, 0x54,  /* b.ne 1b */
				     0xfd, 0x7b, 0xc1, 0xa8,  /* ldp x29, x30, [sp], #16 */
				     0xc0, 0x03, 0x5f, 0xd6}; /* ret */
static const unsigned char call[] = {0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91,
				     0x20, 0x00, 0x3f, 0xd6, /* blr x1 */
				     0xfd, 0x7b, 0xc1, 0xa8, 0xc0, 0x03, 0x5f, 0xd6};
#else
#error "exec-jit.c has no code for this machine"
#endif

enum { PAGE = 4096, CALL_AT = 1024 };
#define CODE ((char *)0x200000000000)

SPIN(static, spin_under);

typedef void caller(unsigned long turns, spin *called);

static void call_spin(unsigned long turns)
{
	((caller *)(CODE + CALL_AT))(turns, spin_under);
}

/* What runs the code is another function in each of the two programs. */
#define RUN(name)                                                                          \
	__attribute__((noinline)) static void name(struct truth *own, struct truth *under) \
	{                                                                                  \
		truth_spin(own, (spin *)CODE, TRUTH_SECONDS / 2);                          \
		truth_spin(under, call_spin, TRUTH_SECONDS / 2);                           \
	}                                                                                  \
	struct truth

RUN(run_first);
RUN(run_second);

static void make_code(void)
{
	void *page = mmap(CODE, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (page == MAP_FAILED)
		truth_fail("mmap");
	memcpy(CODE, loop, sizeof(loop));
	memcpy(CODE + CALL_AT, call, sizeof(call));
	if (mprotect(CODE, PAGE, PROT_READ | PROT_EXEC) != 0)
		truth_fail("mprotect");
	__builtin___clear_cache(CODE, CODE + PAGE);
}

static void write_map(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());

	FILE *map = fopen(path, "we");

	if (!map)
		truth_fail(path);
	fprintf(map, "%lx %zx %s\n", (unsigned long)CODE, sizeof(loop), name);
	fprintf(map, "%lx %zx %s_calls\n", (unsigned long)(CODE + CALL_AT), sizeof(call), name);
	if (fclose(map) != 0)
		truth_fail(path);
}

int main(int argc, char **argv)
{
	char *again[] = {argv[0], "second", NULL};
	struct truth own = {argc > 1 ? "jit_second" : "jit_first"}, under = {"spin_under"};

	truth_begin();
	make_code();
	write_map(own.name);
	if (argc > 1)
		run_second(&own, &under);
	else
		run_first(&own, &under);
	truth_print(&own);
	truth_print(&under);
	if (argc > 1)
		return 0;
	execv(argv[0], again);
	truth_fail(argv[0]);
}
