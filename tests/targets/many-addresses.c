/* SPDX-License-Identifier: BSD-2-Clause */
/* One function of 16,384 instructions, all of them hot: far more addresses than a small cell table
 * holds. */

#include "truth.h"

/* A value handed from hand to hand, so that no machine takes many of these at once. */
#define STEP "add $1, %0\n\tror $7, %0\n\t"
#define STEP_ELSEWHERE "add %0, %0, #1\n\tror %0, %0, #7\n\t"
#if defined(__x86_64__) || defined(__i386__)
#define STEPS ".rept 8192\n\t" STEP ".endr"
#else
#define STEPS ".rept 8192\n\t" STEP_ELSEWHERE ".endr"
#endif

static __attribute__((noinline)) void spin_wide(unsigned long turns)
{
	unsigned long value = turns;

	for (; turns; turns--)
		__asm__ volatile(STEPS : "+r"(value));
}

int main(void)
{
	struct truth truth = {"spin_wide"};
	double start = truth_clock();

	/* At the kernel's own ticks there are 250 places a second. */
	while (truth_clock() - start < 0.5)
		spin_wide(100);
	truth.seconds = truth_clock() - start;
	truth.runs = 1 + truth_switches();
	truth_print(&truth);
	return 0;
}
