; SPDX-License-Identifier: BSD-2-Clause
; Lasts 2 s by the stopwatch, or a minute with the parameter M.  Saves how long exactly, how often
; the BIOS counted meanwhile, and DOS's time before and after.
	cmp	byte ptr [0x82],#0x4d
	jne	short_one
	mov	word ptr [limit],#1092
short_one:
	xor	ax,ax
	mov	es,ax
	mov	ah,#0x2c
	int	0x21
	mov	[before],cx
	mov	[before+2],dx
	seg	es
	mov	bx,[0x46c]
edge:
	seg	es
	cmp	bx,[0x46c]
	je	edge
	call	stopwatch_start
	seg	es
	mov	ax,[0x46c]
	mov	[ticks],ax
again:
	call	stopwatch
	add	[low],ax
	adc	[high],#0
	mov	ax,[high]
	cmp	ax,[limit]
	jb	again
	seg	es
	mov	ax,[0x46c]
	sub	ax,[ticks]
	mov	[ticks],ax
	mov	ah,#0x2c
	int	0x21
	mov	[after],cx
	mov	[after+2],dx
	mov	bx,#name
	mov	dx,#low
	mov	cx,#14
	call	save
	mov	ax,#0x4c00
	int	0x21
name:	.asciz	"LASTS.BIN"
limit:	.word	36
low:	.word	0		; counts of 1/1,193,182 s
high:	.word	0
ticks:	.word	0
before:	.word	0, 0		; minute, hour, hundredth, second
after:	.word	0, 0
