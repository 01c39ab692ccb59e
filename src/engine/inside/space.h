/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/* Arrays in pages of their own.  What grows in a hidden thread grows here: malloc would give that
 * thread an arena, and the program's own allocator a thread it has not made. */
struct space {
	void *start; /* NULL when BYTES is 0 */
	size_t bytes;
};

/* Make room for BYTES at least; what is there stays, START may move, new memory is 0.
 * Returns 0 or -ENOMEM, and then nothing has changed. */
int space_reserve(struct space *space, size_t bytes);

void space_done(struct space *space); /* an empty one too */

/* The same for one thing of SIZE bytes, all 0: what the child of a fork makes and frees, where the
 * program's allocator may be locked for good.  NULL: there is no memory. */
void *space_make(size_t size);
void space_free(void *thing, size_t size);
