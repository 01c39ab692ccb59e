; SPDX-License-Identifier: BSD-2-Clause
; Spends half of its cycles in calls of driver.s: INT 21h, 10h or 13h for the parameter D, V or K;
; and half by itself.
	mov	si,#100
	mov	al,[0x82]
	mov	di,#dos
	cmp	al,#0x44
	je	again
	mov	di,#video
	cmp	al,#0x56
	je	again
	mov	di,#disk
again:
	mov	bx,#3
	call	burn
	mov	bx,#0x7374
	call	di
	dec	si
	jnz	again
	mov	ax,#0x4c00
	int	0x21
dos:
	mov	ah,#2
	int	0x21
	ret
video:
	mov	ah,#0x0e
	int	0x10
	ret
disk:
	mov	ah,#1
	int	0x13
	ret
