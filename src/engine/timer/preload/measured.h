/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* The program that is measured, as the calls that it finds here see it. */

/* Something else may take the place of what is mapped from START up to END: what ticks have found
 * there is filed before.  Where no tick waits for that it costs a look.  Signal-safe: yes.
 * Thread-safe: yes. */
void measured_before(uintptr_t start, uintptr_t end);

/* It may have taken it: what was known of the place is void.  Keeps errno.  The same. */
void measured_after(uintptr_t start, uintptr_t end);

/* Find the C library's calls of mappings.c. */
void mappings_begin(void);
