/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* In a file of which only the frame pointers are known (UNWIND_FRAMED), a walk takes the caller
 * from where they say, and in an innermost function from what its next instruction tells.  It did
 * so rightly where the function's code, followed from its first instruction on, says the same: then
 * a walk past OFFSET of the file FD is sure.  IS_EXACT: the instruction there runs next; else the
 * call there has been made.  What cannot be followed is not sure. */
bool unwind_framed_is_sure(int fd, uint64_t offset, bool is_exact);
