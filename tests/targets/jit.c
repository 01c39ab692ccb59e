/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine code made at run time in memory of no file, and told to profilers as perf wants it, in
 * /tmp/perf-PID.map (which stays behind: whoever runs this removes it). */

#include "truth.h"

#include <sys/mman.h>

#if defined(__x86_64__)
static const unsigned char loop[] = {0x48, 0xff, 0xcf, /* 1: dec %rdi */
				     0x75, 0xfb,       /* jnz 1b */
				     0xc3};	       /* ret */
#elif defined(__aarch64__)
static const unsigned char loop[] = {0x00, 0x04, 0x00, 0xf1,  /* 1: subs x0, x0, #1 */
				     0xe1, 0xff, 0xff, 0x54,  /* b.ne 1b */
				     0xc0, 0x03, 0x5f, 0xd6}; /* ret */
#else
#error "jit.c has no loop for this machine"
#endif

enum { PAGE = 4096, ONE_AT = 1024 };

static void write_map(const char *page)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());

	FILE *map = fopen(path, "we");

	if (!map)
		truth_fail(path);
	fprintf(map, "%lx %zx jit_three\n", (unsigned long)page, sizeof(loop));
	fprintf(map, "%lx %zx jit_one\n", (unsigned long)(page + ONE_AT), sizeof(loop));
	if (fclose(map) != 0)
		truth_fail(path);
}

int main(void)
{
	struct truth three = {"jit_three"}, one = {"jit_one"};
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		truth_fail("mmap");
	memcpy(page, loop, sizeof(loop));
	memcpy(page + ONE_AT, loop, sizeof(loop));
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC) != 0)
		truth_fail("mprotect");
	__builtin___clear_cache(page, page + PAGE);
	write_map(page);
	truth_begin();
	truth_split(&three, (spin *)page, &one, (spin *)(page + ONE_AT), TRUTH_SECONDS);
	return 0;
}
