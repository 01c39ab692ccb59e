/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_BASE_UTF8_H
#define PROFIL_BASE_UTF8_H

#include <stddef.h>

/* The bytes of the UTF-8 character at TEXT, which ends with a NUL; 0 when there is no valid one.
 * Signal-safe: yes.  Thread-safe: yes. */
size_t utf8_size(const char *text);

#endif
