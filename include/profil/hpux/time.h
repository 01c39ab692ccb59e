/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_HPUX_TIME_H
#define PROFIL_HPUX_TIME_H

/* <time.h> as HP-UX had it: profil(2) by its rules. */

#pragma GCC system_header

#include_next <time.h>

#ifdef __cplusplus
extern "C" {
#endif

extern void profil(unsigned short *__buffer, size_t __size, size_t __offset,
		   unsigned int __scale) __asm__("profil_hpux");

#ifdef __cplusplus
}
#endif

#endif
