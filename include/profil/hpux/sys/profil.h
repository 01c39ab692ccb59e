/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_HPUX_SYS_PROFIL_H
#define PROFIL_HPUX_SYS_PROFIL_H

/* <sys/profil.h> as HP-UX had it.  The flags' values are not known and not its. */

#pragma GCC system_header

#include <sys/time.h>

struct prof {
	void *pr_base;	       /* the cells */
	unsigned int pr_size;  /* bytes */
	void *pr_offset;       /* of the text */
	unsigned int pr_scale; /* 16.16 */
};

#define PROF_USHORT 0x1 /* cells of 16 bits */
#define PROF_UINT 0x2	/* of 32 bits */
#define PROF_UINT64 0x4 /* of 64 bits */

#ifdef __cplusplus
extern "C" {
#endif

extern int sprofil(struct prof *__profp, int __profcnt, struct timeval *__tvp,
		   unsigned int __flags) __asm__("sprofil_hpux");

#ifdef __cplusplus
}
#endif

#endif
