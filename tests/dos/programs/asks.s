; SPDX-License-Identifier: BSD-2-Clause
; Asks ways.s, resident, for its ticks (INT 61h) before and after two seconds' work, and saves how
; many came, and how many the BIOS had.
	xor	ax,ax
	mov	es,ax
	call	edge
	int	0x61
	mov	[mine],ax
	seg	es
	mov	ax,[0x46c]
	mov	[bios],ax
	mov	bx,#1200
	call	burn
	call	edge
	int	0x61
	sub	ax,[mine]
	mov	[mine],ax
	seg	es
	mov	ax,[0x46c]
	sub	ax,[bios]
	mov	[bios],ax
	mov	bx,#name
	mov	dx,#mine
	mov	cx,#4
	call	save
	mov	ax,#0x4c00
	int	0x21
; Until the BIOS has counted.
edge:
	seg	es
	mov	bx,[0x46c]
waiting:
	seg	es
	cmp	bx,[0x46c]
	je	waiting
	ret
name:	.asciz	"ASKS.BIN"
mine:	.word	0
bios:	.word	0
