; SPDX-License-Identifier: BSD-2-Clause
; Saves the vectors, both interrupt masks, the mode of channel 0 of the timer, status A and B of the
; CMOS clock, and how long a tick of the BIOS is, by the stopwatch.
	xor	ax,ax
	mov	ds,ax
	push	cs
	pop	es
	mov	si,ax
	mov	di,#table
	mov	cx,#512
	cld
	rep
	movsw
	push	cs
	pop	ds
	in	al,0x21
	mov	[masks],al
	in	al,0xa1
	mov	[masks+1],al
	mov	al,#0xe2
	out	0x43,al
	in	al,0x40
	and	al,#0x3e
	mov	[mode],al
	mov	al,#0x0a
	out	0x70,al
	in	al,0x71
	and	al,#0x7f
	mov	[cmos],al
	mov	al,#0x0b
	out	0x70,al
	in	al,0x71
	mov	[cmos+1],al
	call	rate
	mov	[period],ax
	mov	bx,#name
	mov	dx,#table
	mov	cx,#1032
	call	save
	mov	ax,#0x4c00
	int	0x21

; The time of a BIOS tick, the mean of 10, to AX, in twice 1,193,182ths of a second.
rate:
	xor	ax,ax
	mov	es,ax
	seg	es
	mov	bx,[0x46c]
edge:
	seg	es
	cmp	bx,[0x46c]
	je	edge
	call	stopwatch_start
	mov	si,#10
	xor	di,di
	xor	bp,bp
ten:
	seg	es
	mov	bx,[0x46c]
waiting:
	call	stopwatch
	add	di,ax
	adc	bp,#0
	seg	es
	cmp	bx,[0x46c]
	je	waiting
	dec	si
	jnz	ten
	mov	dx,bp
	mov	ax,di
	mov	cx,#20
	div	cx
	ret
name:	.asciz	"STATE.BIN"
table:	.blkb	1024
masks:	.word	0
mode:	.word	0
cmos:	.word	0
period:	.word	0
