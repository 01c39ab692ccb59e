/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function compiled with -pg calls first: after its prologue (mcount, _mcount), when %rbp is
 * the frame and 8(%rbp) the return address in its caller, or before it (__fentry__, by -mfentry),
 * when that is what lies above our own return address.  The function's arguments are still where
 * they were passed, so that every register but %r11 must be left as it is.
 *
 * The arc is looked for in the thread's table (arcs.h): nearly always the first slot leads to it.
 * Counting it is one instruction, which no signal divides. */

#define MASK 8
#define SLOTS 64
#define SLOT_SIZE 4
#define FROM 0
#define SELF 8
#define COUNT 16
#define HASH 0x61c88647
#define NEAR 8
#define FAR_SHIFT 20

	.text

/* The caller's address is at CALLER once %rax is on the stack, and at CALLER_LATER once %rcx is, too.
 * A free slot leads to the table itself, whose first word is nobody's address. */
	.macro count caller, caller_later
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	cmpb	$0, arcs_on(%rip)
	je	1f
	movq	arcs_mine@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r11
	testq	%r11, %r11
	jz	2f
	movq	MASK(%r11), %rax
	andq	\caller, %rax
	movl	SLOTS(%r11,%rax), %eax
	leaq	(%r11,%rax,8), %r11
	movq	\caller, %rax
	cmpq	%rax, FROM(%r11)
	jne	2f
	movq	8(%rsp), %rax
	cmpq	%rax, SELF(%r11)
	jne	2f
	incq	COUNT(%r11)
1:	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 8
2:	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	movq	\caller_later, %rax
	movq	16(%rsp), %rcx
	call	look_on
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	jmp	1b
	.endm

	.macro function name
	.globl	\name
	.type	\name, @function
	.p2align 5
\name:
	.endm

	function _mcount
	function mcount
	.cfi_startproc
	count	8(%rbp), 8(%rbp)
	.cfi_endproc
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	function __fentry__
	.cfi_startproc
	count	16(%rsp), 24(%rsp)
	.cfi_endproc
	.size	__fentry__, . - __fentry__

/* The arc from %rax to %rcx, in all slots of the near part that may be its, then in the far part.
 * %rax, %rcx and %r11 are its to use. */
	.p2align 4
	.type	look_on, @function
look_on:
	.cfi_startproc
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	movq	arcs_mine@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r11
	testq	%r11, %r11
	jz	not_found
	movq	MASK(%r11), %rdx
	andq	%rax, %rdx
	leaq	SLOTS(%r11,%rdx), %rdx
	.set	turn, 0
	.rept	NEAR
	movl	turn*SLOT_SIZE(%rdx), %esi
	testl	%esi, %esi
	jz	not_found
	cmpq	%rax, FROM(%r11,%rsi,8)
	je	1f
	.set	turn, turn + 1
	.endr
	jmp	2f
1:	cmpq	%rcx, SELF(%r11,%rsi,8)
	je	4f
2:	imulq	$HASH, %rcx, %rdx
	addq	%rax, %rdx
	imulq	$HASH, %rdx, %rdx
	shrq	$FAR_SHIFT, %rdx
	andq	MASK(%r11), %rdx
	addq	MASK(%r11), %rdx
	leaq	SLOTS+(1+NEAR)*SLOT_SIZE(%r11,%rdx), %rdx
3:	movl	(%rdx), %esi
	testl	%esi, %esi
	jz	not_found
	addq	$SLOT_SIZE, %rdx
	cmpq	%rax, FROM(%r11,%rsi,8)
	jne	3b
	cmpq	%rcx, SELF(%r11,%rsi,8)
	jne	3b
4:	incq	COUNT(%r11,%rsi,8)
5:	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 16

/* arcs.c is compiled not to touch the registers that are not saved here: vectors, and those that
 * every function keeps. */
not_found:
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	movq	%rax, %rdi
	movq	%rcx, %rsi
	andq	$-16, %rsp
	call	arcs_count
	leaq	-32(%rbp), %rsp
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rbp
	.cfi_restore %rbp
	.cfi_def_cfa %rsp, 24
	jmp	5b
	.cfi_endproc
	.size	look_on, . - look_on

	.section .note.GNU-stack, "", @progbits
