/* SPDX-License-Identifier: BSD-2-Clause */
/* A loop in parallel: step() is called 100,000 times, by four threads. */
__attribute__((noinline)) long step(long i)
{
	__asm__ volatile("");
	return i;
}

int main(void)
{
	long sum = 0;

#pragma omp parallel for num_threads(4) reduction(+ : sum)
	for (long i = 0; i < 100000; i++)
		sum += step(i);
	return sum != 4999950000;
}
