// SPDX-License-Identifier: BSD-2-Clause
/* Functions with a frame pointer: where there are many, code that no call frame information covers
 * is followed; LARGE, it is so where something ran. */
__asm__(".text\n"
	".rept 1200\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	nop\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.balign 16\n"
	".endr\n"
#if LARGE
	".skip 5 << 20, 0xcc\n"
#endif
);
