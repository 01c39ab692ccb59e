/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/dialect.h"

#include <sys/time.h>

/* The one measurement of a process that all historical calls share: each call replaces what the
 * one before it switched on, whatever system that was of.  What the systems differ in is a row of
 * dialect.h and, for what a compiler sees, a struct legacy_abi. */

/* How a system's sprofil() looks to a program. */
struct legacy_abi {
	const struct dialect *dialect;
	size_t entry_size; /* of its struct prof */
	void (*entry)(const void *prof, struct dialect_entry *ret_entry);
	unsigned ignored; /* flags that may be anything */
	unsigned fast;	  /* the flag PROF_FAST; 0: there is none */
	struct {
		unsigned flag, width; /* the other flags are exactly this one; width 0: the end */
	} widths[4];
};

/* Both return 0, or -1 with errno. */
int legacy_profil(const struct dialect *dialect, void *buffer, size_t bytes, uintptr_t offset,
		  uint64_t scale);
int legacy_sprofil(const struct legacy_abi *abi, const void *profp, int count, struct timeval *tvp,
		   unsigned flags);

/* Returns how many program counters were listed since the call before, or -1 with errno. */
long legacy_pcsample(const struct dialect *dialect, uintptr_t *pcs, long count);

/* For other forms of the same calls: switch REGIONS on, or off when there are none.  Returns 0 or
 * -errno. */
int legacy_regions(const struct dialect *dialect, const struct region *regions, size_t count);

/* Cells must be whole and aligned to be counted in one step, so an odd buffer is an illegal one. */
bool legacy_is_legal(const struct region *region);
