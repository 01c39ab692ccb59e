; SPDX-License-Identifier: BSD-2-Clause
; Spends a quarter of its cycles in its image and the rest in a copy of a routine above it.
	mov	ax,cs
	add	ax,#0x2000
	mov	es,ax
	mov	si,#away
	xor	di,di
	mov	cx,#away_end - away
	cld
	rep
	movsb
	mov	[target+2],ax
	mov	bx,#200
	call	burn
	mov	bx,#600
	callf	[target]
	mov	ax,#0x4c00
	int	0x21
target:	.word	0, 0
away:
	mov	cx,#10000
away_loop:
	loop	away_loop
	dec	bx
	jnz	away
	retf
away_end:
