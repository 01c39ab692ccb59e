; SPDX-License-Identifier: BSD-2-Clause
; The divisions that bcc calls for: AX by BX, unsigned.  It does the rest in line.

	.text
	export	idiv_u
idiv_u:
	xor	dx,dx
	div	bx
	ret

	export	imodu
imodu:
	xor	dx,dx
	div	bx
	mov	ax,dx
	ret
