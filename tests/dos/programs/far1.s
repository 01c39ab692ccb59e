; SPDX-License-Identifier: BSD-2-Clause
; The first segment of an .EXE: spends a third of its cycles here, calls the second segment, whose
; address the loader puts in at "second", and ends.
	mov	bp,#5
round:
	mov	bx,#100
	call	here
	mov	bx,#200
	seg	cs
	callf	[there]
	dec	bp
	jnz	round
	mov	ax,#0x4c00
	int	0x21
there:	.word	0
second:	.word	0
	.blkb	0x40 - *
here:
	mov	cx,#10000
here_loop:
	loop	here_loop
	dec	bx
	jnz	here
	ret
