/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of every kind in one thread, each so many times: plain, recursive, mutually recursive, by a
 * pointer, out of a library that knows nothing of -pg, with arguments in every register that passes
 * one, variadic, and by a function that longjmp leaves.  Ends with 0 if all arguments arrived. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#define KEEP __attribute__((noinline, noclone))
#define HERE __asm__ volatile("")

static jmp_buf jump;

KEEP int leaf(int i)
{
	HERE;
	return i + 1;
}

KEEP int recursive(int i)
{
	HERE;
	return i ? recursive(i - 1) + leaf(i) : 0;
}

int odd(int i);

KEEP int even(int i)
{
	HERE;
	return i ? odd(i - 1) : 1;
}

KEEP int odd(int i)
{
	HERE;
	return i ? even(i - 1) : 0;
}

KEEP int compare(const void *a, const void *b)
{
	HERE;
	return *(const int *)a - *(const int *)b;
}

KEEP double all_registers(int a, long b, int c, long d, int e, long f, double g, double h, float i,
			  double j, double k, double l, double m, double n, int on_stack)
{
	HERE;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l + 13 * m + 14 * n + 15 * on_stack;
}

KEEP double variadic(int count, ...)
{
	va_list list;
	double sum = 0;

	va_start(list, count);
	while (count--)
		sum += va_arg(list, double);
	va_end(list);
	return sum;
}

KEEP void leaves_by_jump(void)
{
	HERE;
	longjmp(jump, 1);
}

KEEP int jumps(void)
{
	if (!setjmp(jump))
		leaves_by_jump();
	return leaf(0);
}

int main(void)
{
	int (*volatile pointer)(int) = leaf;
	int numbers[] = {3, 2, 1, 5, 4}, sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += leaf(i) + pointer(i) + even(7) + jumps() - recursive(10);
	qsort(numbers, 5, sizeof(int), compare);
	if (all_registers(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1) != 120)
		return 1;
	if (variadic(3, 1.0, 2.0, 3.0) != 6)
		return 2;
	return sum != 1000 * 1001 + 1000 - 65000;
}
