/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_LINUX_SYS_PROFIL_H
#define PROFIL_LINUX_SYS_PROFIL_H

/* <sys/profil.h> as glibc has it. */

#pragma GCC system_header

#include <sys/time.h>
#include <sys/types.h>

struct prof {
	void *pr_base;		/* the cells */
	size_t pr_size;		/* bytes */
	size_t pr_off;		/* of the text */
	unsigned long pr_scale; /* 16.16 */
};

enum {
	PROF_USHORT = 0, /* cells of 16 bits */
	PROF_UINT = 1,	 /* of 32 bits */
	PROF_FAST = 2,	 /* without effect */
};

#ifdef __cplusplus
extern "C" {
#endif

extern int sprofil(struct prof *__profp, int __profcnt, struct timeval *__tvp,
		   unsigned int __flags) __asm__("sprofil_linux");

#ifdef __cplusplus
}
#endif

#endif
