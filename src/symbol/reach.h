/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SYMBOL_REACH_H
#define PROFIL_SYMBOL_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which code belongs to a function that nothing tells the end of: what control gets to from its
 * start by itself, through what follows, jumps and branches, and not by calls.  What stands behind
 * it may be of functions whose names were stripped.  A jump through a register or a table leads
 * nowhere here. */

/* As much code as is looked at behind a start. */
#define REACH_FARTHEST ((size_t)1 << 20)

struct reach {
	uint64_t start, end; /* what was looked at; end exclusive */
	uint64_t last;	     /* behind the last that is reached */
	uint8_t *marks;	     /* heap: of each byte, whether it is reached */
};

/* Whether code of MACHINE (EM_X86_64 ...) can be followed here. */
bool reach_can(int machine);

/* Follow the code of MACHINE that stands from START to END, which is at most REACH_FARTHEST behind
 * it: BYTES.  Takes one off *LIMIT for each instruction, and what is not reached before it is 0
 * counts as not reached.  Returns 0 or -ENOMEM. */
int reach_follow(struct reach *reach, int machine, const uint8_t *bytes, uint64_t start,
		 uint64_t end, size_t *limit);

bool reach_has(const struct reach *reach, uint64_t address);

/* Takes one that is all zero. */
void reach_done(struct reach *reach);

#endif
