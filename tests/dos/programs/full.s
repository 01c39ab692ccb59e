; SPDX-License-Identifier: BSD-2-Clause
; 48 million cycles in one paragraph.
	mov	bx,#4800
	call	work
	mov	ax,#0x4c00
	int	0x21
	.blkb	0x110 - *
work:
	mov	cx,#10000
work_loop:
	loop	work_loop
	dec	bx
	jnz	work
	ret
