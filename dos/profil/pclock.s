; SPDX-License-Identifier: BSD-2-Clause
; The clock of the IBM PC: channel 0 of the 8253, which makes IRQ 0 (INT 8).  It runs at 1,193,182
; Hz and counts an interval of at most 65,535 down; a longer one is two halves, of which the first
; is not counted.
; The BIOS counts its 18.2 Hz from the same interrupt: it gets one each time 65,536 counts have
; gone by, so that DOS time is right whatever the interval.

CONTROL		equ	$43
CHANNEL_0	equ	$40
RATE_GENERATOR	equ	$34	; channel 0, low and high byte, mode 2: starts over by itself
SQUARE_WAVE	equ	$36	; mode 3, as the BIOS sets it
INTERRUPTS	equ	$20	; the interrupt controller
END_INTERRUPT	equ	$20

	.text
	import	clk_inter

; unsigned pit_clockon(unsigned microseconds)
pit_clockon:
	mov	bx,sp
	mov	ax,2[bx]
	mov	cx,ax
	mov	dx,#12660	; 1.193182 is 1 + 12660 / 65536
	mul	dx
	shl	ax,#1
	adc	dx,#0
	mov	ax,cx
	mov	bx,#1
	add	ax,dx
	jnc	fits
	rcr	ax,#1
	inc	bx
fits:
	mov	[pit_count],ax
	mov	[pit_parts],bx
	mov	[pit_left],bx
	mov	word ptr [pit_elapsed],#0
	mov	byte ptr [pit_running],#1
	mov	dl,#RATE_GENERATOR
	call	set_channel
	mov	ax,cx
	ret

; void pit_clockoff(void)
pit_clockoff:
	mov	byte ptr [pit_running],#0
	xor	ax,ax		; 65,536
	mov	dl,#SQUARE_WAVE
; Channel 0 to mode DL and count AX.  Old machines want time between two accesses.
set_channel:
	xchg	ax,dx
	out	CONTROL,al
	xchg	ax,dx
	jmp	wait_1
wait_1:
	out	CHANNEL_0,al
	jmp	wait_2
wait_2:
	mov	al,ah
	out	CHANNEL_0,al
	ret

pit_tick:
	seg	cs
	test	byte ptr [pit_running],#1
	jz	pit_old
	seg	cs
	dec	word ptr [pit_left]
	jnz	pit_leave_int
	push	ax
	seg	cs
	mov	ax,[pit_parts]
	seg	cs
	mov	[pit_left],ax
	pop	ax
	br	clk_inter

pit_leave_int:
	push	ax
	seg	cs
	mov	ax,[pit_count]
	seg	cs
	add	[pit_elapsed],ax
	jc	bios_is_due
	mov	al,#END_INTERRUPT
	out	INTERRUPTS,al
	pop	ax
	iret
bios_is_due:			; it ends the interrupt itself
	pop	ax
pit_old:
	seg	cs
	jmp	far [_pit_clock+4]

	.data
	export	_pit_clock
_pit_clock:
	.word	8, pit_tick, 0, 0, pit_clockon, pit_clockoff, pit_leave_int

	.bss
pit_count	lcomm	2	; of the channel, in one interrupt
pit_parts	lcomm	2	; interrupts in one interval
pit_left	lcomm	2	; of them, until the next is counted
pit_elapsed	lcomm	2	; counts since the BIOS's last tick
pit_running	lcomm	2
