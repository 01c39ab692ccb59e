/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_HPUX_UNISTD_H
#define PROFIL_HPUX_UNISTD_H

/* As the C library has it, without its profil(): that is in <time.h> here. */

#pragma GCC system_header

/* The C library's own is put out of the way. */
#define profil profil_of_libc
#include_next <unistd.h>
#undef profil

/* The most entries that sprofil() takes, which the C library cannot know of. */
#define _SC_PROFIL_MAX 0x70726f66

static __inline__ long __profil_sysconf(int __name)
{
	return __name == _SC_PROFIL_MAX ? 16384 : sysconf(__name);
}

#define sysconf __profil_sysconf

#endif
