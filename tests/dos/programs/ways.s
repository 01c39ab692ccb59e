; SPDX-License-Identifier: BSD-2-Clause
; Works for a while, then ends in the way that its parameter names.
	mov	bx,#40
	call	burn
	mov	al,[0x82]
	mov	si,#table
search:
	cmp	al,[si]
	je	found
	add	si,#3
	cmp	byte ptr [si],#0
	jne	search
	int	0x20
found:
	mov	bx,1[si]
	jmp	bx

table:	.byte	0x32		; 2
	.word	int20
	.byte	0x30		; 0
	.word	int21_0
	.byte	0x43		; C
	.word	int21_4c
	.byte	0x54		; T
	.word	int21_31
	.byte	0x37		; 7
	.word	int27
	.byte	0x52		; R
	.word	return
	.byte	0x4a		; J
	.word	jump22
	.byte	0x49		; I
	.word	int22
	.byte	0x42		; B
	.word	int23
	.byte	0x44		; D
	.word	divide
	.byte	0x56		; V
	.word	vectors
	.byte	0x48		; H
	.word	own23
	.byte	0x5a		; Z
	.word	stays_with_timer
	.byte	0x46		; F
	.word	forgets_timer
	.byte	0x50		; P
	.word	takes_timer
	.byte	0x45		; E
	.word	int24
	.byte	0

int20:
	int	0x20
int21_0:
	mov	ah,#0
	int	0x21
int21_4c:
	mov	ax,#0x4c07
	int	0x21
int21_31:
	mov	ax,#0x3100
	mov	dx,#0x40
	int	0x21
int27:
	mov	dx,#0x400
	int	0x27
return:
	xor	ax,ax
	push	ax
	ret
jump22:
	jmp	far [0x0a]
int22:
	int	0x22
int23:
	int	0x23
	br	int21_4c
divide:
	xor	bx,bx
	mov	ax,bx
	mov	dx,ax
	div	bx
	br	int21_4c

; Its own answers to INT 23h and 24h, which DOS takes back.
vectors:
	mov	ax,#0x2523
	mov	dx,#answer
	int	0x21
	mov	ax,#0x2524
	int	0x21
	br	int20
answer:
	iret

; A disk error, as DOS tells the shell of it, and the end that DOS makes for the answer Abort.
int24:
	mov	ah,#0
	mov	di,#2
	int	0x24
	br	int21_4c

; Answers Ctrl-C itself and goes on.
own23:
	mov	ax,#0x2523
	mov	dx,#answer
	int	0x21
	int	0x23
	br	int20

; Its own INT 8, which counts and goes on to the old one.
take:
	mov	ax,#0x3508
	int	0x21
	mov	[old],bx
	mov	[old+2],es
	mov	ax,#0x2508
	mov	dx,#tick
	int	0x21
	ret
tick:
	seg	cs
	inc	word ptr [ticks]
	seg	cs
	jmp	far [old]
old:	.word	0, 0
ticks:	.word	0

; A resident program with a timer: INT 61h says its ticks in AX.
stays_with_timer:
	call	take
	mov	ax,#0x2561
	mov	dx,#tell
	int	0x21
	mov	bx,#40
	call	burn
	br	int21_31
tell:
	seg	cs
	mov	ax,[ticks]
	iret

forgets_timer:
	call	take
	mov	bx,#40
	call	burn
	br	int20

; The timer all its own, at 100 Hz, without going on; given back at the end.
takes_timer:
	call	take
	mov	ax,#0x2508
	mov	dx,#alone
	int	0x21
	mov	al,#0x36
	out	0x43,al
	mov	ax,#11932
	out	0x40,al
	mov	al,ah
	out	0x40,al
	mov	bx,#100
	call	burn
	mov	al,#0x36
	out	0x43,al
	xor	al,al
	out	0x40,al
	out	0x40,al
	lds	dx,[old]
	mov	ax,#0x2508
	int	0x21
	push	cs
	pop	ds
	mov	bx,#name
	mov	dx,#ticks
	mov	cx,#2
	call	save
	br	int20
alone:
	push	ax
	seg	cs
	inc	word ptr [ticks]
	mov	al,#0x20
	out	0x20,al
	pop	ax
	iret
name:	.asciz	"TICKS.BIN"
