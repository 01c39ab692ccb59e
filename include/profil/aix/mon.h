/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_AIX_MON_H
#define PROFIL_AIX_MON_H

/* <mon.h> as AIX had it: profil() by its rules. */

#pragma GCC system_header

#include <stddef.h>

typedef unsigned short HISTCOUNTER;

/* For profil(array, -1, 0, 0): a range of text each, a p_high of 0 ends them. */
struct prof {
	char *p_low;
	char *p_high; /* exclusive, and rising */
	HISTCOUNTER *p_buff;
	int p_bufsize;	      /* bytes */
	unsigned int p_scale; /* -1: as p_bufsize and the text are */
};

#ifdef __cplusplus
extern "C" {
#endif

extern int profil(void *__buffer, size_t __size, unsigned long __offset,
		  unsigned int __scale) __asm__("profil_aix");

#ifdef __cplusplus
}
#endif

#endif
