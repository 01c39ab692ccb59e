/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/region.h"

#include <stddef.h>
#include <stdint.h>

/* The law of each system as a row of a table.  What a row says is all there is: code that knows a
 * system by name would be a second law. */

/* What turns profiling off; more than one may hold. */
enum dialect_off {
	OFF_NULL_BUFFER = 1, /* glibc: buff == NULL */
	OFF_SCALE_0 = 2,
	OFF_SCALE_1 = 4,
};

enum dialect_order {
	ORDER_ANY,
	ORDER_ASCENDING, /* by offset, else EINVAL */
};

enum dialect_overflow {
	OVERFLOW_NONE,	   /* an entry with offset 0 and scale 2 is a region like any other */
	OVERFLOW_LAST,	   /* must be the last entry, else EINVAL */
	OVERFLOW_ANYWHERE, /* the first one that is found */
};

struct dialect {
	const char *name; /* "bsd" */
	struct scale_rule rule;
	unsigned off;	     /* enum dialect_off */
	uint32_t scale_max;  /* a larger scale is EINVAL, in sprofil() too; 0: there is no limit */
	uint32_t scale_mask; /* AIX: only these bits of the scale count; 0: all */
	enum cell_full full; /* of profil()'s cells */
	enum cell_full sprofil_full;
	unsigned widths;	/* sprofil: a bit per width in bytes: 2 | 4 | 8; 0: the system has
				   no sprofil */
	int entries_max;	/* sprofil: more entries, or fewer than none, are E2BIG; 0: there is
				   no limit, and fewer than none are none */
	bool two_has_no_bound;	/* SVR4: scale 2 counts in the first cell of a buffer of any size */
	bool profil_is_sprofil; /* HP-UX: profil() is sprofil() with one entry of 16-bit cells */
	bool checks_buffer;	/* an illegal buffer is -1 and EFAULT, and profiling has ended */
	bool never_fails; /* profil() returns 0 whatever happens: what cannot be counted is off */
	bool checks_sprofil;   /* EFAULT for profp and tvp, EINVAL for each size that HP-UX
				  refuses; else sizes are rounded down to whole cells */
	bool overlap_is_error; /* EINVAL; with ORDER_ASCENDING */
	enum dialect_order order;
	enum dialect_overflow overflow;
	enum cell_full overflow_full;
	uint64_t tick_ns;      /* 10 ms */
	uint64_t fast_tick_ns; /* with PROF_FAST; 0: there is none */
	bool stays_on_in_fork;
	bool lists_pcs; /* it has pcsample() */
};

extern const struct dialect dialect_bsd, dialect_irix, dialect_hpux, dialect_linux, dialect_svr4,
	dialect_v7, dialect_aix, dialect_linux099;

/* All rows, NULL at the end. */
extern const struct dialect *const dialect_list[];

/* profil()'s arguments as one region.  Returns 1: to be switched on, *RET_REGION is filled;
 * 0: what was on is to be switched off, for the law says so or because nothing can be counted (a
 * buffer of no cells); or -errno by this dialect's law (-EFAULT is the caller's to find, see
 * checks_buffer). */
int dialect_profil(const struct dialect *dialect, void *buffer, size_t bytes, uintptr_t offset,
		   uint64_t scale, struct region *ret_region);

/* Whether sprofil() takes COUNT entries: asked first, before they are looked at.  Returns 1: it
 * does; 0: profiling is to be switched off; -E2BIG; -ENOSYS: the system has no sprofil(). */
int dialect_sprofil_count(const struct dialect *dialect, int count);

/* One entry of sprofil(), any system's struct prof turned into this one. */
struct dialect_entry {
	void *base;
	uint64_t size; /* bytes */
	uintptr_t offset;
	uint64_t scale;
};

/* sprofil()'s array as regions: room for COUNT in RET_REGIONS, undefined unless it returns 1;
 * *RET_COUNT are used, for entries with a scale of 0 or 1 and entries of no cells are left out.
 * WIDTH is of a cell in bytes, 0 for flags that mean none.  Checks in the order of the system's
 * page, COUNT and WIDTH too. Returns 1: to be switched on, 0: off, for nothing is left to count, or
 * -errno. */
int dialect_sprofil(const struct dialect *dialect, const struct dialect_entry *entries, int count,
		    unsigned width, struct region *ret_regions, size_t *ret_count);

/* Whether pcsample() takes room for COUNT program counters.  Returns 1: to be switched on; 0: off;
 * -EINVAL; -ENOSYS: the system has no pcsample(). */
int dialect_pcsample(const struct dialect *dialect, long count);
