; SPDX-License-Identifier: BSD-2-Clause
; Spends 50, 25, 15 and 10 % of its cycles in four routines, one paragraph each, and says where its
; PSP is.
	mov	[psp],cs
	mov	bx,#name
	mov	dx,#psp
	mov	cx,#2
	call	save
	mov	bp,#5
round:
	mov	bx,#100
	call	half
	mov	bx,#50
	call	quarter
	mov	bx,#30
	call	fifteen
	mov	bx,#20
	call	tenth
	dec	bp
	jnz	round
	mov	ax,#0x4c00
	int	0x21
psp:	.word	0
name:	.asciz	"PSP.BIN"

	.blkb	0x180 - *
half:
	mov	cx,#10000
half_loop:
	loop	half_loop
	dec	bx
	jnz	half
	ret
	.blkb	0x190 - *
quarter:
	mov	cx,#10000
quarter_loop:
	loop	quarter_loop
	dec	bx
	jnz	quarter
	ret
	.blkb	0x1a0 - *
fifteen:
	mov	cx,#10000
fifteen_loop:
	loop	fifteen_loop
	dec	bx
	jnz	fifteen
	ret
	.blkb	0x1b0 - *
tenth:
	mov	cx,#10000
tenth_loop:
	loop	tenth_loop
	dec	bx
	jnz	tenth
	ret
