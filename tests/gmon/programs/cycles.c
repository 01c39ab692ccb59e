/* SPDX-License-Identifier: BSD-2-Clause */
/* Time that is handed up through calls of every kind: shared by two callers, by recursion, round a
 * cycle of two, one of which calls itself, and one of three that are one below the other, and
 * out of a callback of the C library.  Each function works itself. */
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))

static volatile unsigned long sink;

/* Behind a function's entry, where no other one's is. */
static inline __attribute__((always_inline)) void spin(long rounds)
{
	for (long i = 0; i < rounds; i++)
		sink = sink * 3 + (unsigned long)i;
}

KEEP void shared(void)
{
	spin(20000);
}

KEEP void fifth(int depth);

KEEP void fourth(int depth)
{
	spin(10000);
	shared();
	if (depth)
		fifth(depth - 1);
}

KEEP void third(int depth)
{
	spin(5000);
	fourth(depth);
}

KEEP void fifth(int depth)
{
	spin(15000);
	third(depth);
}

KEEP void even(int i);

KEEP void odd(int i)
{
	static int is_inner;

	if (i == 2 && !is_inner) {
		is_inner = 1;
		odd(0);
		is_inner = 0;
	}
	spin(30000);
	if (i)
		even(i - 1);
}

KEEP void even(int i)
{
	spin(5000);
	fourth(1);
	if (i)
		odd(i - 1);
}

KEEP long factorial(long i)
{
	spin(2000);
	return i > 1 ? i * factorial(i - 1) : 1;
}

KEEP int compare(const void *a, const void *b)
{
	spin(1000);
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	int numbers[64];

	for (int round = 0; round < 400; round++) {
		for (int i = 0; i < 64; i++)
			numbers[i] = i * 37 % 64;
		qsort(numbers, 64, sizeof(int), compare);
		(void)factorial(20);
		even(3);
		odd(2);
		third(2);
		shared();
	}
	return 0;
}
