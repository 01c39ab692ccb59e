/* SPDX-License-Identifier: BSD-2-Clause */
/* A function of 131,072 instructions, all of them hot, until it is killed: far more addresses than
 * most programs have. */

#if defined(__x86_64__) || defined(__i386__)
#define STEP "add $1, %0\n\tror $7, %0\n\t"
#else
#define STEP "add %0, %0, #1\n\tror %0, %0, #7\n\t"
#endif

int main(void)
{
	for (unsigned long value = 0;;)
		__asm__ volatile(".rept 65536\n\t" STEP ".endr" : "+r"(value));
}
