; SPDX-License-Identifier: BSD-2-Clause
; The way into the program and the ways out of it.  Contracts are in child.h.

LOAD_ONLY	equ	$4b01
EXIT		equ	$4c00
PRINT		equ	9
CURRENT_PSP	equ	$51
LOAD_STACK_SIZE	equ	256

; In struct child_start:
START_STACK	equ	0
START_ENTRY	equ	4
START_PSP	equ	8
START_AX	equ	10

	.text

; When the program ends, DOS writes the frame of a return where the stack was at this call, so the
; call has a stack that nothing else uses.  DOS 2 gives no register back but CS and IP.
	export	_child_load
_child_load:
	push	bp
	mov	bp,sp
	push	si
	push	di
	mov	[own_stack],sp
	mov	dx,4[bp]
	mov	bx,6[bp]
	mov	sp,#load_stack
	add	sp,#LOAD_STACK_SIZE
	mov	ax,#LOAD_ONLY
	int	0x21
	mov	cx,#0
	jnc	loaded
	mov	cx,ax
loaded:
	mov	dx,#home_from_load
	jmp	come_home
home_from_load:
	sti
	mov	ax,cx
	pop	di
	pop	si
	pop	bp
	ret

; To the own segments and stack, with interrupts off, and on to DX.
come_home:
	cli
	mov	ax,cs
	mov	ds,ax
	mov	es,ax
	mov	ss,ax
	mov	sp,[own_stack]
	cld
	jmp	dx

	export	_child_enter
_child_enter:
	push	bp
	mov	bp,sp
	push	si
	push	di
	mov	[own_stack],sp
	mov	si,4[bp]
	mov	byte ptr [child_aborted],#0
	mov	byte ptr [child_runs],#1
	les	di,START_STACK[si]
	mov	dx,es
	mov	cx,START_PSP[si]
	mov	ax,START_AX[si]
	mov	bx,START_ENTRY+2[si]
	mov	si,START_ENTRY[si]
	mov	ss,dx
	mov	sp,di
	mov	ds,cx
	mov	es,cx
	mov	dx,#0x0202	; interrupts on
	push	dx
	push	bx
	push	si
	mov	bx,ax
	mov	dx,cx
	mov	cx,#0xff
	iret

	export	_child_ended
_child_ended:
	cli
	seg	cs
	mov	byte ptr [child_runs],#0
	mov	dx,#home_from_run
	jmp	come_home
home_from_run:
	mov	ah,#CURRENT_PSP
	int	0x21
	mov	ax,cs
	cmp	ax,bx
	jne	still_there
	mov	al,[child_aborted]
	xor	ah,ah
	pop	di
	pop	si
	pop	bp
	ret

; A program came here by itself, through INT 22h: DOS must end it, and comes here again.
still_there:
	mov	ax,#EXIT
	int	0x21

; INT 23h.  Once the program has ended, Ctrl-C must not keep its report from being written.
	export	_child_ctrl_c
_child_ctrl_c:
	seg	cs
	test	byte ptr [child_runs],#1
	jz	go_on
abort:
	seg	cs
	mov	byte ptr [child_aborted],#1
	mov	ax,#EXIT
	int	0x21
go_on:
	iret

; INT 0, as DOS answers it.  Where DOS leaves it to a return (DOSBox does), a division is tried
; again for ever.
	export	_child_divide_error
_child_divide_error:
	sti
	cld
	mov	ax,cs
	mov	ds,ax
	mov	dx,#overflow
	mov	ah,#PRINT
	int	0x21
	jmp	abort

	.data
overflow:	.byte	13, 10
		.ascii	"Divide overflow"
		.byte	13, 10
		.ascii	"$"

	.bss
own_stack	lcomm	2
child_runs	lcomm	2
child_aborted	lcomm	2
load_stack	lcomm	LOAD_STACK_SIZE
