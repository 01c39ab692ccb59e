/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_BSD_UNISTD_H
#define PROFIL_BSD_UNISTD_H

/* <unistd.h> as 4.4BSD and its heirs had it: profil(2) by their rules. */

#pragma GCC system_header

/* The C library's own is put out of the way. */
#define profil profil_of_libc
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(char *__buffer, size_t __size, unsigned long __offset,
		  unsigned int __scale) __asm__("profil_bsd");

#ifdef __cplusplus
}
#endif

#endif
