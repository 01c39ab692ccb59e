; SPDX-License-Identifier: BSD-2-Clause
; Waits for 60 seconds of the stopwatch and saves how often the BIOS counted in them.
	xor	ax,ax
	mov	es,ax
	call	stopwatch_start
	seg	es
	mov	ax,[0x46c]
	mov	[ticks],ax
again:
	call	stopwatch
	add	[low],ax
	adc	[high],#0
	cmp	word ptr [high],#1092	; 60 s are 71,590,908: 1092 and 26 of the low words
	jb	again
	seg	es
	mov	ax,[0x46c]
	sub	ax,[ticks]
	mov	[ticks],ax
	mov	bx,#name
	mov	dx,#ticks
	mov	cx,#6
	call	save
	mov	ax,#0x4c00
	int	0x21
name:	.asciz	"MINUTE.BIN"
ticks:	.word	0
low:	.word	0
high:	.word	0
