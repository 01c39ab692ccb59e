/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a linker's MAP file says of a DOS program: which address is called what.  Addresses are
 * bytes from the start of the image (of a .COM, of its PSP), segment times 16 plus offset.  Read
 * are the maps of Microsoft's LINK and Borland's TLINK (segments, publics, line numbers), Open
 * Watcom's wlink, Debian's ld86 -M (bcc), and GNU ld -Map (gcc-ia16). */

struct dosmap_symbol {
	uint32_t start, limit; /* bytes, limit exclusive; no two of a map overlap */
	const char *name;      /* as the linker has it; of a nameless part, its segment's */
};

struct dosmap_line {
	uint32_t start, limit;
	uint32_t number;
	const char *file; /* the source, or the object file where the map names no other */
};

struct dosmap;

/* Read the map at PATH.  Returns 0, or -errno with a sentence: -EBADMSG when it is no map of a
 * linker that is known, -EFBIG when it is longer than 4 MiB.  *RET_MAP is the caller's;
 * dosmap_free() takes NULL and returns NULL. */
int dosmap_read(const char *path, struct dosmap **ret_map, struct error *reterr);
struct dosmap *dosmap_free(struct dosmap *map);

/* Whether the program is a .COM: it starts at 100h, behind the PSP. */
bool dosmap_is_com(const struct dosmap *map);

/* The symbol that has the largest part of START to LIMIT, the first of equal ones, and then the
 * line of that symbol's code there, likewise; NULL where there is none.  Both live as long as MAP.
 */
const struct dosmap_symbol *dosmap_symbol_in(const struct dosmap *map, uint32_t start,
					     uint32_t limit);
const struct dosmap_line *dosmap_line_in(const struct dosmap *map,
					 const struct dosmap_symbol *symbol, uint32_t start,
					 uint32_t limit);
