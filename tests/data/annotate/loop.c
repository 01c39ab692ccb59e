/* SPDX-License-Identifier: BSD-2-Clause */
/* Two loops, one in the other, with a division and a load in the inner one; see README.md. */

long table[16];

static inline long mix(long a, long b)
{
	return a / (b | 1) + table[b & 15];
}

__attribute__((noinline)) long spin(long rows, long columns)
{
	long total = 0;

	for (long i = 0; i < rows; i++) {
		for (long j = 0; j < columns; j++)
			total += mix(total, j);
		total ^= i;
	}
	return total;
}

void _start(void)
{
	table[0] = spin(3, 5);
	for (;;)
		;
}
