; SPDX-License-Identifier: BSD-2-Clause
; Spends its time in calls of DOS or the BIOS, of the sort that its parameter names: D, a character
; to the console by INT 21h; V, one to the screen by INT 10h; K, the state of a disk by INT 13h.
; Saves what the calls took, the same calls answered by an IRET alone, and 1,000,000 cycles, by the
; stopwatch.  A generator of chance numbers makes the way between two calls of unequal length, so
; that no clock can keep step with it.
	mov	al,[0x82]
	mov	[letter],al
	call	stopwatch_start
	cmp	byte ptr [letter],#0x44
	jne	not_dos
	mov	ax,#0x0200
	mov	[instruction],#0x21cd
	call	calls
not_dos:
	cmp	byte ptr [letter],#0x56
	jne	not_video
	mov	ax,#0x0e00
	mov	[instruction],#0x10cd
	call	calls
not_video:
	cmp	byte ptr [letter],#0x4b
	jne	not_disk
	mov	ax,#0x0100
	mov	[instruction],#0x13cd
	call	calls
not_disk:
	mov	di,#took
	call	keep
	mov	ax,#0x2561
	mov	dx,#answer
	int	0x21
	mov	[instruction],#0x61cd
	call	stopwatch
	mov	word ptr [low],#0
	mov	word ptr [high],#0
	call	calls
	mov	di,#stub
	call	keep
	mov	word ptr [low],#0
	mov	word ptr [high],#0
	mov	si,#100
million:
	mov	bx,#1
	call	burn
	call	stopwatch
	add	[low],ax
	adc	[high],#0
	dec	si
	jnz	million
	mov	di,#cycles
	call	keep
	mov	bx,#name
	mov	dx,#took
	mov	cx,#12
	call	save
	mov	ax,#0x4c00
	int	0x21

keep:
	mov	ax,[low]
	mov	[di],ax
	mov	ax,[high]
	mov	2[di],ax
	ret

answer:
	iret

name:	.asciz	"CALLS.BIN"
letter:	.word	0
low:	.word	0
high:	.word	0
took:	.word	0, 0
stub:	.word	0, 0
cycles:	.word	0, 0
chance:	.word	1

; 1,000 times 100 calls with AX.
	.blkb	0x200 - *
calls:
	mov	[function],ax
	mov	si,#1000
hundred:
	mov	di,#100
one:
	mov	ax,[chance]
	mov	dx,#25173
	mul	dx
	add	ax,#13849
	mov	[chance],ax
	mov	cl,ah
	and	cx,#31
	inc	cx
way:
	loop	way
	mov	ax,[function]
	mov	bx,#7
	mov	dx,#0x80
	cmp	ah,#1
	je	instruction
	mov	dl,#0x0d
	mov	al,dl
instruction:
	int	0x21
	dec	di
	jnz	one
	push	ax
	call	stopwatch
	add	[low],ax
	adc	[high],#0
	pop	ax
	dec	si
	jnz	hundred
	ret
function: .word	0
	.blkb	0x300 - *
