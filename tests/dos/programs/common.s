; SPDX-License-Identifier: BSD-2-Clause
; What the programs of these tests share; it stands behind each.

; Go round BX times 10,000, of one cycle each.  Leaves AX, DX, SI and DI alone.
burn:
	mov	cx,#10000
burning:
	loop	burning
	dec	bx
	jnz	burn
	ret

; Write CX bytes at DX to a new file whose name is at BX.
save:
	push	cx
	push	dx
	mov	dx,bx
	xor	cx,cx
	mov	ah,#0x3c
	int	0x21
	mov	bx,ax
	pop	dx
	pop	cx
	mov	ah,#0x40
	int	0x21
	mov	ah,#0x3e
	int	0x21
	ret

; Start channel 2 of the timer, and read it: AX is what has gone by since the last reading, in
; 1,193,182ths of a second, less than 65,536 of them.
stopwatch_start:
	in	al,0x61
	and	al,#$fc
	or	al,#1
	out	0x61,al
	mov	al,#$b4
	out	0x43,al
	xor	al,al
	out	0x42,al
	out	0x42,al
	mov	word ptr [stopwatch_last],#0
	ret
stopwatch:
	mov	al,#$80
	out	0x43,al
	in	al,0x42
	mov	ah,al
	in	al,0x42
	xchg	ah,al
	neg	ax
	push	ax
	sub	ax,[stopwatch_last]
	pop	[stopwatch_last]
	ret
stopwatch_last:	.word	0
