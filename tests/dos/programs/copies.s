; SPDX-License-Identifier: BSD-2-Clause
; Copies standard input to standard output up to its end, works for a while, says its command tail
; and ends with exit code 7.
	mov	si,#buffer
again:
	mov	ah,#0x3f
	xor	bx,bx
	mov	cx,#1
	mov	dx,si
	int	0x21
	or	ax,ax
	jz	ended
	mov	cx,ax
	mov	ah,#0x40
	mov	bx,#1
	int	0x21
	jmp	again
ended:
	mov	bx,#100
	call	burn
	mov	ah,#0x40
	mov	bx,#1
	mov	cl,[0x80]
	xor	ch,ch
	mov	dx,#0x81
	int	0x21
	mov	ax,#0x4c07
	int	0x21
buffer:	.byte	0
