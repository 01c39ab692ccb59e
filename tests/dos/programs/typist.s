; SPDX-License-Identifier: BSD-2-Clause
; Stays resident and types Ctrl-C 60 BIOS ticks later: the key's code comes to the BIOS's buffer as
; from the keyboard.
	mov	ax,#0x351c
	int	0x21
	mov	[old],bx
	mov	[old+2],es
	mov	ax,#0x251c
	mov	dx,#tick
	int	0x21
	mov	ax,#0x3100
	mov	dx,#0x40
	int	0x21
tick:
	seg	cs
	dec	word ptr [left]
	jnz	on
	push	ax
	push	cx
	mov	ah,#5
	mov	cx,#0x2e03
	int	0x16
	pop	cx
	pop	ax
on:
	seg	cs
	jmp	far [old]
old:	.word	0, 0
left:	.word	60
