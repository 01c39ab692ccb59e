; SPDX-License-Identifier: BSD-2-Clause
; Saves what DOS hands to a program: AX, then the PSP from the first FCB to the end of the tail.
	mov	[registers],ax
	mov	si,#0x5c
	mov	di,#fields
	mov	cx,#0x100 - 0x5c
	cld
	rep
	movsb
	mov	bx,#name
	mov	dx,#registers
	mov	cx,#2 + 0x100 - 0x5c
	call	save
	mov	ax,#0x4c00
	int	0x21
name:	.asciz	"PSP.BIN"
registers: .word 0
fields:	.blkb	0x100 - 0x5c
