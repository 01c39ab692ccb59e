// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What allocates in this object does so in pages of its own: the program's allocator is not called
 * by a thread that the program has not made.  These are seen by this object alone. */

/* Before each piece. */
struct head {
	size_t size; /* with it */
	size_t unused;
};

static void *made(struct head *head, size_t size)
{
	if (head == MAP_FAILED)
		return NULL;
	head->size = size;
	return head + 1;
}

/* Pages are 0. */
void *reallocarray(void *old, size_t count, size_t size)
{
	struct head *head = old ? (struct head *)old - 1 : NULL;
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - sizeof(*head)) {
		errno = ENOMEM;
		return NULL;
	}
	bytes += sizeof(*head);
	if (head)
		return made(mremap(head, head->size, bytes, MREMAP_MAYMOVE), bytes);
	return made(mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		    bytes);
}

void *calloc(size_t count, size_t size)
{
	return reallocarray(NULL, count, size);
}

void free(void *old)
{
	struct head *head = old ? (struct head *)old - 1 : NULL;

	if (head)
		(void)munmap(head, head->size);
}

/* The C library's may allocate. */

static void exchange(char *a, char *b, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char kept = a[i];

		a[i] = b[i];
		b[i] = kept;
	}
}

/* Let what is at AT go down, until none below it is greater. */
static void sink(char *items, size_t count, size_t size, int (*compare)(const void *, const void *),
		 size_t at)
{
	for (size_t below; (below = 2 * at + 1) < count; at = below) {
		if (below + 1 < count &&
		    compare(items + below * size, items + (below + 1) * size) < 0)
			below++;
		if (compare(items + at * size, items + below * size) >= 0)
			return;
		exchange(items + at * size, items + below * size, size);
	}
}

/* By a heap: in place, and never slow. */
void qsort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
	for (size_t i = count / 2; i--;)
		sink(items, count, size, compare, i);
	for (size_t i = count; i-- > 1;) {
		exchange(items, (char *)items + i * size, size);
		sink(items, i, size, compare, 0);
	}
}
