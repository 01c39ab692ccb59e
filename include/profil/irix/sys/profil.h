/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_IRIX_SYS_PROFIL_H
#define PROFIL_IRIX_SYS_PROFIL_H

/* <sys/profil.h> as IRIX had it. */

#pragma GCC system_header

#include <sys/time.h>

typedef unsigned long __psunsigned_t; /* as wide as a pointer */

struct prof {
	void *pr_base;	       /* the cells */
	unsigned int pr_size;  /* bytes */
	__psunsigned_t pr_off; /* of the text */
	unsigned int pr_scale; /* 16.16 */
};

#define PROF_USHORT 0x1 /* cells of 16 bits */
#define PROF_UINT 0x2	/* of 32 bits */
#define PROF_FAST 0x4	/* PROF_FAST_CNT samples a tick */
#define PROF_FAST_CNT 10
#define PROFIL_MAX 100 /* what the header said; the limit was the system's, and here is 16384 */

#ifdef __cplusplus
extern "C" {
#endif

extern int sprofil(struct prof *__profp, int __profcnt, struct timeval *__tvp,
		   unsigned int __flags) __asm__("sprofil_irix");

#ifdef __cplusplus
}
#endif

#endif
