/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_HPUX_UNISTD_H
#define PROFIL_HPUX_UNISTD_H

/* As the C library has it, without its profil(): that is in <time.h> here. */

#pragma GCC system_header

/* The C library's own is put out of the way. */
#define profil profil_of_libc
#include_next <unistd.h>
#undef profil

#endif
