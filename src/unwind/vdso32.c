// SPDX-License-Identifier: BSD-2-Clause
/* The vdso of 32-bit programs.  A 64-bit process has another one, in the place of which the kernel
 * maps it on request: in a child, whose end takes it away. */
#include "unwind/load.h"

#include "base/maps_line.h"
#include "base/reap.h"
#include "unwind/compile.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(SYS_arch_prctl)

#include <asm/prctl.h>

enum {
	IMAGE_MOST = 1 << 16, /* it is some pages large */
	AREAS_MOST = 8,	      /* of the kernel's own that it may stand in */
};

struct areas {
	struct maps_line of[AREAS_MOST];
	unsigned count;
};

/* What of this process is called NAME and something. */
static void find_areas(const char *name, struct areas *ret_areas)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	struct areas areas = {.count = 0};

	while (maps && areas.count < AREAS_MOST && fgets(line, sizeof(line), maps))
		if (maps_line_parse(line, &areas.of[areas.count]) &&
		    !strncmp(areas.of[areas.count].path, name, strlen(name)))
			areas.count++;
	if (maps)
		(void)fclose(maps);
	*ret_areas = areas;
}

static void unmap_areas(const char *name)
{
	struct areas areas;

	find_areas(name, &areas);
	for (unsigned i = 0; i < areas.count; i++)
		(void)munmap((void *)(uintptr_t)areas.of[i].start,
			     areas.of[i].end - areas.of[i].start);
}

/* Copy the vdso to IMAGE.  The process has none for its own use from then on. */
static void copy_vdso(uint8_t *image)
{
	struct areas vdso;
	uint64_t size;

	unmap_areas("[vvar");
	unmap_areas("[vdso]");
	if (syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, 0UL) <= 0)
		return;
	find_areas("[vdso]", &vdso);
	if (vdso.count != 1)
		return;
	size = vdso.of[0].end - vdso.of[0].start;
	if (size <= IMAGE_MOST)
		memcpy(image, (const void *)(uintptr_t)vdso.of[0].start, size);
}

int unwind_load_vdso32(struct unwind_table *ret_table)
{
	uint8_t *image =
		mmap(NULL, IMAGE_MOST, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int ret = -ENOENT;
	pid_t child;

	if (image == MAP_FAILED)
		return -ENOMEM;
	child = fork();
	if (!child) {
		copy_vdso(image);
		_exit(0);
	}
	if (child > 0 && reap(child) >= 0)
		ret = unwind_compile(image, IMAGE_MOST, ret_table);
	(void)munmap(image, IMAGE_MOST);
	return ret;
}

#else

int unwind_load_vdso32(struct unwind_table *ret_table)
{
	(void)ret_table;
	return -ENOENT;
}

#endif
