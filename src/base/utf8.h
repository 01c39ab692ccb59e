/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The bytes of the UTF-8 character at TEXT, which ends with a NUL; 0 when there is no valid one.
 * Signal-safe: yes.  Thread-safe: yes. */
size_t utf8_size(const char *text);

/* Whether TEXT begins with a control character.  Terminals obey those of 0x80 to 0x9f, too, alone
 * or as UTF-8 (ECMA-48, 5.3: CSI is 0x9b).  Signal-safe: yes.  Thread-safe: yes. */
bool utf8_is_control(const char *text);
