/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

/* TEXT as a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.  Errors are OUT's,
 * ferror().  Signal-safe: no.  Thread-safe: on distinct OUT. */
void json_print_string(FILE *out, const char *text);
