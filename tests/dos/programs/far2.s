; SPDX-License-Identifier: BSD-2-Clause
; The second segment of an .EXE.
	mov	cx,#10000
there_loop:
	loop	there_loop
	dec	bx
	jnz	0
	retf
