; SPDX-License-Identifier: BSD-2-Clause
; Goes to another drive and folder.
	mov	ah,#0x3b
	mov	dx,#folder
	int	0x21
	mov	ah,#0x0e
	mov	dl,#2
	int	0x21
	mov	ax,#0x4c00
	int	0x21
folder:	.asciz	"C:\\AWAY"
