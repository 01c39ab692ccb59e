/* SPDX-License-Identifier: BSD-2-Clause */
/* What a function compiled with -pg calls first: after its prologue (mcount, _mcount), when %rbp is
 * the frame and 8(%rbp) the return address in its caller, or before it (__fentry__, by -mfentry),
 * when that is what lies above our own return address.  The function's arguments are still where
 * they were passed, so that every register but %r11 must be left as it is.
 *
 * The arc is looked for in the thread's table (arcs.h), in NEAR slots from where its hash leads to,
 * then in the far part, to the first free slot.  Counting it is one instruction, which no signal divides. */

#define MASK 0
#define SLOTS 64
#define SLOT_SIZE 32
#define SLOT_FROM 0
#define SLOT_SELF 8
#define SLOT_COUNT 16
#define HASH 0x61c88647
#define HASH_SHIFT 27
#define SPREAD 16
#define DENSITY 4
#define NEAR 8
#define FAR_SHIFT 20

	.text

/* %rax is an address in the function, %rdx the one it returns to, both of them and %rcx are on the
 * stack. */
	.macro count
	cmpb	$0, arcs_on(%rip)
	je	3f
	movq	arcs_mine@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r11
	testq	%r11, %r11
	jz	2f
	imulq	$HASH, %rax, %rcx
	shrq	$HASH_SHIFT, %rcx
	andl	$((SPREAD - 1) * SLOT_SIZE), %ecx
	leaq	(%rcx,%rdx,DENSITY), %rcx
	andq	MASK(%r11), %rcx
	addq	%rcx, %r11
	leaq	NEAR*SLOT_SIZE(%r11), %rcx
1:	cmpq	%rdx, SLOTS+SLOT_FROM(%r11)
	jne	4f
	cmpq	%rax, SLOTS+SLOT_SELF(%r11)
	jne	5f
	incq	SLOTS+SLOT_COUNT(%r11)
3:	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_adjust_cfa_offset 24
4:	cmpq	$0, SLOTS+SLOT_FROM(%r11)
	je	2f
5:	addq	$SLOT_SIZE, %r11
	cmpq	%rcx, %r11
	jne	1b
	imulq	$HASH, %rax, %rcx
	addq	%rdx, %rcx
	imulq	$HASH, %rcx, %rcx
	shrq	$FAR_SHIFT, %rcx
	movq	arcs_mine@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r11
	andq	MASK(%r11), %rcx
	addq	MASK(%r11), %rcx
	leaq	(1 + NEAR)*SLOT_SIZE(%r11,%rcx), %r11
	xorl	%ecx, %ecx
	jmp	1b
2:	call	not_found
	jmp	3b
	.endm

	.macro save_three
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
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
	save_three
	movq	24(%rsp), %rax
	movq	8(%rbp), %rdx
	count
	.cfi_endproc
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	function __fentry__
	.cfi_startproc
	save_three
	movq	24(%rsp), %rax
	movq	32(%rsp), %rdx
	count
	.cfi_endproc
	.size	__fentry__, . - __fentry__

/* arcs.c is compiled not to touch the registers that are not saved here: vectors, and those that
 * every function keeps. */
	.p2align 4
	.type	not_found, @function
not_found:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rdi
	pushq	%rsi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	movq	%rdx, %rdi
	movq	%rax, %rsi
	andq	$-16, %rsp
	call	arcs_count
	leaq	-40(%rbp), %rsp
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rsi
	popq	%rdi
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	not_found, . - not_found

	.section .note.GNU-stack, "", @progbits
