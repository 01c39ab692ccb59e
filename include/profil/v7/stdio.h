/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_V7_STDIO_H
#define PROFIL_V7_STDIO_H

/* The seventh edition had no header for system calls; what every program of its time includes is
 * <stdio.h>.  profil(2) by its rules. */

#pragma GCC system_header

#include_next <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(void *__buffer, size_t __size, unsigned long __offset,
		  unsigned int __scale) __asm__("profil_v7");

#ifdef __cplusplus
}
#endif

#endif
