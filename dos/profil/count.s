; SPDX-License-Identifier: BSD-2-Clause
; CLK_INTER: what happens at a tick.  The paragraph of CS:IP is found, one counter is added to, and
; nothing else is kept.  A clock jumps here with the stack as its interrupt left it and interrupts
; off, and is left through the LEAVE_INT it named.

FULL	equ	65534		; PROHST 1.0 never ends where a counter is 65,535
HEAD	equ	12		; of the header of the report: where hit_io stands, see report.h

	.text
	export	clk_inter
clk_inter:
	push	ds
	push	bp
	push	ax
	push	bx
	push	cx
	mov	bp,sp
	push	cs
	pop	ds
	mov	ax,10[bp]	; IP
	mov	cl,#4
	shr	ax,cl
	add	ax,12[bp]	; CS
	jc	beyond
inside:
	cmp	ax,[_report_header+10]
	jb	io
	cmp	ax,[_report_header+6]
	jb	dos
	cmp	ax,[_report_header+8]
	jae	high
	call	bucket
add_one:
	cmp	word ptr [bx],#FULL
	jae	full
increment:
	inc	word ptr [bx]
counted:
	pop	cx
	pop	bx
	pop	ax
	pop	bp
	pop	ds
	seg	cs
	jmp	[_clock_leave]

; An address past the first megabyte is the same as one at its beginning to an 8086.  With DOS in
; high memory it is a place of its own, and DOS stands there.
beyond:
	test	byte ptr [_dos_is_high],#1
	jz	inside
dos:
	mov	bx,#_report_header+HEAD+2
	jmp	add_one
io:
	mov	bx,#_report_header+HEAD
	jmp	add_one
high:
	mov	bx,#_report_header+HEAD+4
	jmp	add_one

full:
	seg	cs
	test	byte ptr [_counters_wrap],#1
	jnz	increment
	seg	cs
	mov	byte ptr [_counter_was_full],#1
	jmp	counted

; The counter of paragraph AX as DS:BX.  The buckets may be more than 64 KiB, so the segment takes
; eight of them at a time.
bucket:
	push	dx
	sub	ax,[_report_header+6]
	xor	dx,dx
	div	word ptr [_report_header+4]
	pop	dx
	mov	bx,ax
	and	bx,#7
	shl	bx,#1
	mov	cl,#3
	shr	ax,cl
	add	ax,[_bucket_segment]
	mov	ds,ax
	ret

	.data
	export	_count_mark
_count_mark:
	.ascii	"PROFIL counting:"
	.word	0, 0, 0, 0, 0

	.bss
	.comm	_report_header, 18
	.comm	_bucket_segment, 2
	.comm	_clock_leave, 2
	.comm	_dos_is_high, 2
	.comm	_counters_wrap, 2
	.comm	_counter_was_full, 2
