; SPDX-License-Identifier: BSD-2-Clause
; Never ends, but for Ctrl-C, which it asks DOS for often.  DOSBox's DOS leaves Ctrl-C to the
; program, so it makes the INT 23h itself that DOS makes.
again:
	mov	bx,#1
	call	burn
	mov	ah,#6
	mov	dl,#0xff
	int	0x21
	jz	again
	cmp	al,#3
	jne	again
	int	0x23
	jmp	again
