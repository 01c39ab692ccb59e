// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/space.h"

#include <errno.h>
#include <sys/mman.h>

#define SPACE_STEP 4096

int space_reserve(struct space *space, size_t bytes)
{
	size_t room = space->bytes ? space->bytes : SPACE_STEP;
	void *start;

	if (bytes <= space->bytes)
		return 0;
	while (room < bytes)
		if (__builtin_mul_overflow(room, 2, &room))
			return -ENOMEM;
	if (space->bytes)
		start = mremap(space->start, space->bytes, room, MREMAP_MAYMOVE);
	else
		start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			     0);
	if (start == MAP_FAILED)
		return -ENOMEM;
	*space = (struct space){.start = start, .bytes = room};
	return 0;
}

void space_done(struct space *space)
{
	if (space->bytes)
		(void)munmap(space->start, space->bytes);
	*space = (struct space){0};
}

void *space_make(size_t size)
{
	void *thing = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return thing == MAP_FAILED ? NULL : thing;
}

void space_free(void *thing, size_t size)
{
	(void)munmap(thing, size);
}
