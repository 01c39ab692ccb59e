/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Arrows beside a listing, from each jump to where it leads:
 *
 *	  ╭▸ mov     al, [rdi]        .> mov
 *	╭─┼─ je      0x1180          .+- je
 *	│ ╰─ jmp     0x1174          |`- jmp
 *	╰──▸ ret                     `-> ret
 */

struct jump {
	uint32_t from, to; /* rows of the listing */
};

struct jumps {
	uint8_t *cells; /* row by row, what of a line goes through each: enum in jumps.c */
	size_t lanes;	/* columns taken, without the arrow heads' own; 0: nothing is drawn */
	size_t rows;
	bool utf8;
};

/* Draw the COUNT JUMPS beside ROWS rows.  The shortest are drawn first, each as near to the text as
 * it can be; those that find no room are left out.  LIST is sorted.  Returns 0 or -ENOMEM. */
int jumps_draw(struct jump *list, size_t count, size_t rows, bool utf8, struct jumps *ret_jumps);
void jumps_done(struct jumps *jumps);

/* Room for the text of one row. */
#define JUMPS_TEXT 64

/* What stands before ROW, all rows being equally wide. */
void jumps_text(const struct jumps *jumps, size_t row, char text[JUMPS_TEXT]);
