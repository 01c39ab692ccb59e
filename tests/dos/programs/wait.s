; SPDX-License-Identifier: BSD-2-Clause
; Works for 6 million cycles, and waits 20 times for 50 ms in the BIOS (INT 15h/86h).  Saves how
; long all the waits were by the stopwatch.
	mov	bx,#600
	call	burn
	mov	si,#20
	call	stopwatch_start
again:
	call	stopwatch
	mov	ah,#0x86
	xor	cx,cx
	mov	dx,#50000
	push	si
	int	0x15
	pop	si
	call	stopwatch
	add	[low],ax
	adc	[high],#0
	dec	si
	jnz	again
	mov	bx,#name
	mov	dx,#low
	mov	cx,#4
	call	save
	mov	ax,#0x4c00
	int	0x21
name:	.asciz	"WAIT.BIN"
low:	.word	0
high:	.word	0
