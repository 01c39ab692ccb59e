; SPDX-License-Identifier: BSD-2-Clause
; The clock of /R: the periodic interrupt of the MC146818 in the CMOS, IRQ 8 (INT 70h), for programs
; that take the timer.  It interrupts at powers of two, from 8,192 Hz (122.07 us) down; it is set to
; the slowest that is not slower than what was asked, and every interrupt takes its period off what
; is left of the interval, so that the mean interval is the one asked for.
; Times are in 1/65536 us, in 32 bits: the shortest period is 8,000,000 of them.

INDEX		equ	$70
VALUE		equ	$71
STATUS_A	equ	$0a	; rate
STATUS_B	equ	$0b	; which interrupts
STATUS_C	equ	$0c	; why it interrupted; reading it allows the next
STATUS_D	equ	$0d	; the clock has power
PERIODIC	equ	$40
FASTEST		equ	3	; its code for 8,192 Hz; the next ones are half of it each
SLOWEST		equ	12	; 16 Hz: slower than any interval that can be asked for
SHORTEST_LOW	equ	$1200	; 8,000,000
SHORTEST_HIGH	equ	$007a
MASTER		equ	$20
SLAVE		equ	$a0
END_INTERRUPT	equ	$20

	.text
	import	clk_inter

; Register AL of the clock to AL, and AH to register AL.
read_clock:
	out	INDEX,al
	jmp	wait_1
wait_1:
	in	al,VALUE
	ret
write_clock:
	out	INDEX,al
	jmp	wait_2
wait_2:
	mov	al,ah
	out	VALUE,al
	ret

; int rtc_present(void)
	export	_rtc_present
_rtc_present:
	pushf
	cli
	mov	al,#STATUS_A
	call	read_clock
	mov	ah,al
	mov	al,#STATUS_D
	call	read_clock
	popf
	and	ax,#$7080	; the divider that counts seconds, and power
	cmp	ax,#$2080
	mov	ax,#0
	jne	absent
	inc	ax
absent:
	ret

; unsigned rtc_clockon(unsigned microseconds)
rtc_clockon:
	mov	bx,sp
	mov	cx,2[bx]
	call	choose_rate
	push	cx
	mov	byte ptr [rtc_running],#1
	mov	al,#STATUS_B
	call	read_clock
	mov	[rtc_status_b],al
	mov	al,#STATUS_A
	call	read_clock
	mov	[rtc_status_a],al
	and	al,#$f0
	or	al,bl
	mov	ah,al
	mov	al,#STATUS_A
	call	write_clock
	mov	ah,[rtc_status_b]
	or	ah,#PERIODIC
	mov	al,#STATUS_B
	call	write_clock
	mov	al,#STATUS_C
	call	read_clock
	in	al,SLAVE+1
	mov	[rtc_slave_mask],al
	and	al,#$fe
	out	SLAVE+1,al
	in	al,MASTER+1
	mov	[rtc_master_mask],al
	and	al,#$fb
	out	MASTER+1,al
	pop	ax
	ret

; The rate for CX us to BX; CX is made longer when the clock cannot go as fast.
choose_rate:
	mov	bx,#FASTEST
	mov	ax,#SHORTEST_LOW
	mov	dx,#SHORTEST_HIGH
	mov	[interval_low],ax
	mov	[interval_high],dx
	cmp	cx,dx
	jbe	too_fast
	mov	word ptr [interval_low],#0
	mov	[interval_high],cx
double:
	mov	[period_low],ax
	mov	[period_high],dx
	cmp	bx,#SLOWEST
	je	chosen
	shl	ax,#1
	rcl	dx,#1
	inc	bx
	cmp	dx,cx
	jb	double
	dec	bx
	jmp	chosen
too_fast:
	mov	cx,dx
	mov	[period_low],ax
	mov	[period_high],dx
chosen:
	mov	ax,[interval_low]
	mov	[left_low],ax
	mov	ax,[interval_high]
	mov	[left_high],ax
	ret

; void rtc_clockoff(void)
rtc_clockoff:
	mov	byte ptr [rtc_running],#0
	mov	ah,[rtc_status_b]
	mov	al,#STATUS_B
	call	write_clock
	mov	ah,[rtc_status_a]
	mov	al,#STATUS_A
	call	write_clock
	mov	al,#STATUS_C
	call	read_clock
	in	al,SLAVE+1
	mov	ah,[rtc_slave_mask]
	and	ax,#$01fe	; only the bit that clockon took away comes back
	or	al,ah
	out	SLAVE+1,al
	in	al,MASTER+1
	mov	ah,[rtc_master_mask]
	and	ax,#$04fb
	or	al,ah
	out	MASTER+1,al
	ret

rtc_tick:
	seg	cs
	test	byte ptr [rtc_running],#1
	jz	rtc_old
	push	ax
	push	ds
	push	cs
	pop	ds
	mov	ax,[period_low]
	sub	[left_low],ax
	mov	ax,[period_high]
	sbb	[left_high],ax
	jc	interval_over
	mov	ax,[left_low]
	or	ax,[left_high]
	jz	interval_over
	pop	ds
	pop	ax
	jmp	rtc_leave_int
interval_over:
	mov	ax,[interval_low]
	add	[left_low],ax
	mov	ax,[interval_high]
	adc	[left_high],ax
	pop	ds
	pop	ax
	br	clk_inter

rtc_leave_int:
	push	ax
	mov	al,#STATUS_C
	call	read_clock
	mov	al,#END_INTERRUPT
	out	SLAVE,al
	out	MASTER,al
	pop	ax
	iret
rtc_old:
	seg	cs
	jmp	far [_rtc_clock+4]

	.data
	export	_rtc_clock
_rtc_clock:
	.word	$70, rtc_tick, 0, 0, rtc_clockon, rtc_clockoff, rtc_leave_int

	.bss
period_low	lcomm	2	; of the interrupt
period_high	lcomm	2
interval_low	lcomm	2	; between two that are counted
interval_high	lcomm	2
left_low	lcomm	2	; of this interval; more than 0, at most the interval
left_high	lcomm	2
rtc_status_a	lcomm	2
rtc_status_b	lcomm	2
rtc_slave_mask	lcomm	2
rtc_master_mask	lcomm	2
rtc_running	lcomm	2
