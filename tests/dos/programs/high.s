; SPDX-License-Identifier: BSD-2-Clause
; Spends a quarter of its cycles in its image and the rest past the first megabyte, at FFFF:8000,
; where DOS's code is when it is in high memory.
	in	al,0x92
	or	al,#2
	out	0x92,al
	mov	ax,#0xffff
	mov	es,ax
	mov	si,#away
	mov	di,#0x8000
	mov	cx,#away_end - away
	cld
	rep
	movsb
	mov	bx,#200
	call	burn
	mov	bx,#600
	callf	[target]
	mov	ax,#0x4c00
	int	0x21
target:	.word	0x8000, 0xffff
away:
	mov	cx,#10000
away_loop:
	loop	away_loop
	dec	bx
	jnz	away
	retf
away_end:
