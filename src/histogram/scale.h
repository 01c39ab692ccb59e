/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* From a distance in text to a cell and back.  Freestanding: nothing but arithmetic, so that a
 * signal handler, a BPF program and a compiler for the 8086 can have it too.
 *
 * A scale is 16.16 fixed point: bytes of buffer for a byte of text.  All systems agree on that and
 * on nothing else: where the division by the cell's width stands, and which way is rounded. */

struct scale_rule {
	bool divide_first; /* glibc, BSD's manual: (d / width) * s >> 16, cells; else d * s >> 16,
			      bytes, and then the width */
	bool round_up;	   /* V7, AIX: these bytes up to a whole cell; else down */
	bool two_is_all;   /* IRIX, SVR4, AIX: scale 2 means everything to the first cell */
};

/* The cell that DISTANCE (pc - offset) falls in, at SCALE, with cells of WIDTH bytes (1, 2, 4, 8).
 * Exact for every argument; UINT64_MAX when the result is beyond 64 bits.
 * Signal-safe: yes.  Thread-safe: yes. */
uint64_t scale_cell(const struct scale_rule *rule, uint64_t distance, uint32_t scale,
		    unsigned width);

/* The inverse: the least distance that falls in CELL or beyond it; UINT64_MAX when none does.
 * scale_cell(scale_distance(n)) >= n > scale_cell(scale_distance(n) - 1), for all n > 0.
 * Signal-safe: yes.  Thread-safe: yes. */
uint64_t scale_distance(const struct scale_rule *rule, uint64_t cell, uint32_t scale,
			unsigned width);
