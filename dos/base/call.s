; SPDX-License-Identifier: BSD-2-Clause
; What C cannot say: a call of DOS, and memory in other segments.  Contracts are in dos.h.

	.text
	export	_dos_call
_dos_call:
	push	bp
	push	si
	push	di
	push	ds
	push	es
	mov	bp,sp
	mov	bp,12[bp]
	mov	bx,2[bp]
	mov	cx,4[bp]
	mov	dx,6[bp]
	mov	si,8[bp]
	mov	di,10[bp]
	mov	es,14[bp]
	mov	ds,12[bp]
	mov	ax,[bp]
	push	bp
	int	0x21
	pop	bp
	mov	[bp],ax
	mov	2[bp],bx
	mov	4[bp],cx
	mov	6[bp],dx
	mov	8[bp],si
	mov	10[bp],di
	mov	14[bp],es
	sbb	ax,ax
	neg	ax
	pop	es
	pop	ds
	pop	di
	pop	si
	pop	bp
	ret

	export	_far_peek
_far_peek:
	mov	bx,sp
	push	ds
	mov	ax,4[bx]
	mov	ds,2[bx]
	mov	bx,ax
	mov	ax,[bx]
	pop	ds
	ret

	export	_far_poke
_far_poke:
	mov	bx,sp
	push	ds
	mov	cx,4[bx]
	mov	ax,6[bx]
	mov	ds,2[bx]
	mov	bx,cx
	mov	[bx],ax
	pop	ds
	ret

	export	_far_clear
_far_clear:
	mov	bx,sp
	push	di
	push	es
	mov	ax,2[bx]
	mov	dx,4[bx]
	jmp	next
paragraph:
	mov	es,ax
	xor	di,di
	mov	cx,#8
	push	ax
	xor	ax,ax
	rep
	stosw
	pop	ax
	inc	ax
	dec	dx
next:
	test	dx,dx
	jnz	paragraph
	pop	es
	pop	di
	ret

	export	_interrupts_off
_interrupts_off:
	cli
	ret

	export	_interrupts_on
_interrupts_on:
	sti
	ret
