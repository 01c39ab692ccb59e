/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a jump by a register leads to, as compilers make it of a switch in code that may lie
 * anywhere: `lea table(%rip), A; movslq (A,B,4), C; add A, C; jmp *C`, behind a comparison of B
 * with the last entry.  An entry is the distance of its code from the table. */
struct jump_table {
	int64_t at; /* from the first byte of the code on, in memory */
	uint32_t count;
};

/* The table of the jump AT in the code at BYTES.  LENGTHS has the length of each instruction that
 * is known, at its first byte, else 0.  False: there is none, or it is not certain which.  Pure
 * function. */
bool jump_table_find(const uint8_t *bytes, const uint8_t *lengths, size_t at,
		     struct jump_table *ret);
