; SPDX-License-Identifier: BSD-2-Clause
; Works for 2 million cycles, says so, on standard output and by a file, and hangs.
	mov	bx,#200
	call	burn
	mov	dx,#words
	mov	ah,#9
	int	0x21
	mov	bx,#name
	mov	dx,#words
	mov	cx,#5
	call	save
hang:
	jmp	hang
words:	.ascii	"begun$"
name:	.asciz	"BEGUN"
