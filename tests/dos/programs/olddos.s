; SPDX-License-Identifier: BSD-2-Clause
; Makes DOSBox's DOS look like MS-DOS 2 to 4, whose INT 20h points to itself in low memory and which
; does not know INT 21h/3306h.  Stays resident, and saves its segment.
	mov	[segment],cs
	mov	bx,#name
	mov	dx,#segment
	mov	cx,#2
	call	save
	mov	ax,#0x3520
	int	0x21
	mov	[old20],bx
	mov	[old20+2],es
	mov	ax,#0x2520
	mov	dx,#new20
	int	0x21
	mov	ax,#0x3521
	int	0x21
	mov	[old21],bx
	mov	[old21+2],es
	mov	ax,#0x2521
	mov	dx,#new21
	int	0x21
	mov	ax,#0x3100
	mov	dx,#0x40
	int	0x21
new20:
	seg	cs
	jmp	far [old20]
new21:
	cmp	ax,#0x3306
	je	unknown
	seg	cs
	jmp	far [old21]
unknown:
	mov	al,#0xff
	iret
name:	.asciz	"SEGMENT.BIN"
segment: .word	0
old20:	.word	0, 0
old21:	.word	0, 0
