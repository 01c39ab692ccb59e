; SPDX-License-Identifier: BSD-2-Clause
; How a .COM program begins and ends: a stack of its own, zeroed variables, main(), INT 21h/4Ch.
; main()'s result is the exit code.  DOS 1 has no such thing, and no handles, and is told so.
; This object is linked first, for a .COM program starts at its first byte.

STACK_SIZE	equ	1024

	.text
	entry	start
	export	start
start:
	cld
	mov	ah,#0x30	; DOS 1 does not know this call and leaves 0
	mov	al,#0
	int	0x21
	cmp	al,#2
	jb	too_old
	mov	sp,#stack
	add	sp,#STACK_SIZE
	mov	di,#__edata
	mov	cx,#__end
	sub	cx,di
	xor	ax,ax
	rep
	stosb
	mov	[_own_segment],cs
	mov	ax,#__end
	add	ax,#15
	mov	cl,#4
	shr	ax,cl
	mov	[_own_paragraphs],ax
	call	_main
	mov	ah,#0x4c
	int	0x21

too_old:
	mov	dx,#needs
	mov	ah,#9
	int	0x21
	int	0x20

	.data
needs:	.ascii	"DOS 2.0 or later is needed"
	.byte	13, 10
	.ascii	"$"

	.bss
	.comm	_own_segment, 2
	.comm	_own_paragraphs, 2
stack	lcomm	STACK_SIZE
