/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_LINUX099_UNISTD_H
#define PROFIL_LINUX099_UNISTD_H

/* <unistd.h> as Linux 0.99's C library had it: profil(2) by its rules. */

#pragma GCC system_header

/* The C library's own is put out of the way. */
#define profil profil_of_libc
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(char *__buffer, size_t __size, unsigned long __offset,
		  unsigned int __scale) __asm__("profil_linux099");

#ifdef __cplusplus
}
#endif

#endif
