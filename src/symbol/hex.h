/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Read the hexadecimal number, without "0x", that *TEXT begins with and move *TEXT behind it and
 * the one blank or tab that must follow.  Written out, for it is called for every line of kallsyms.
 * Returns false when there is none, or more than 64 bits of it. */
bool hex_field(const char **text, uint64_t *ret_value);
