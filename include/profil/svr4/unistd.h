/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SVR4_UNISTD_H
#define PROFIL_SVR4_UNISTD_H

/* <unistd.h> as SVR4 and its heirs have it: profil(2) by their rules. */

#pragma GCC system_header

/* The C library's own is put out of the way. */
#define profil profil_of_libc
#include_next <unistd.h>
#undef profil

#ifdef __cplusplus
extern "C" {
#endif

extern void profil(unsigned short *__buffer, size_t __size, size_t __offset,
		   unsigned int __scale) __asm__("profil_svr4");

#ifdef __cplusplus
}
#endif

#endif
