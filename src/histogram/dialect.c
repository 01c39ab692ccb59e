// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/dialect.h"

#define MILLISECOND_NS 1000000

/* "More entries than the system allows": no page says how many that is. */
#define PROFIL_MAX 16384

/* 4.4BSD and its heirs, by the kernel's formula.  Of the kernels' faults none is kept: distances do
 * not alias at 4 GiB, and nothing is written past a buffer of an odd size. */
const struct dialect dialect_bsd = {
	.name = "bsd",
	.off = OFF_SCALE_0,
	.scale_max = 65536,
	.full = CELL_WRAPS,
	.checks_buffer = true,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
};

/* What sprofil() does with a full cell its page does not say; HP-UX's, a descendant, does. */
const struct dialect dialect_irix = {
	.name = "irix",
	.rule = {.two_is_all = true},
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.scale_max = 65536,
	.never_fails = true,
	.full = CELL_WRAPS,
	.sprofil_full = CELL_SATURATES,
	.widths = 2 | 4,
	.entries_max = PROFIL_MAX,
	.overflow = OVERFLOW_LAST,
	.overflow_full = CELL_SATURATES,
	.tick_ns = 10 * MILLISECOND_NS,
	.fast_tick_ns = MILLISECOND_NS,
	.stays_on_in_fork = true,
};

/* The page has it both ways; profcnt 0 turns profiling off, and overlap is an error. */
const struct dialect dialect_hpux = {
	.name = "hpux",
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.full = CELL_SATURATES,
	.sprofil_full = CELL_SATURATES,
	.widths = 2 | 4 | 8,
	.entries_max = PROFIL_MAX,
	.profil_is_sprofil = true,
	.checks_sprofil = true,
	.overlap_is_error = true,
	.order = ORDER_ASCENDING,
	.overflow = OVERFLOW_LAST,
	.overflow_full = CELL_SATURATES,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
};

/* glibc, as it is documented: a buffer with scale 0 is one cell for all that lies above offset, and
 * nothing but no buffer turns profiling off. */
const struct dialect dialect_linux = {
	.name = "linux",
	.rule = {.divide_first = true},
	.off = OFF_NULL_BUFFER,
	.full = CELL_WRAPS,
	.sprofil_full = CELL_SATURATES,
	.widths = 2 | 4,
	.overflow = OVERFLOW_ANYWHERE,
	.overflow_full = CELL_SATURATES,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
};

/* SVR4 and its heirs, Solaris and illumos the last. */
const struct dialect dialect_svr4 = {
	.name = "svr4",
	.rule = {.two_is_all = true},
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.full = CELL_ENDS_ALL,
	.two_has_no_bound = true,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
	.lists_pcs = true,
};

/* Research Unix from the seventh edition on: rounding up makes a scale of 0xFFFF as good as one of
 * 0x10000, which its 16 bits could not hold.  1 is off as its page says: the kernel kept half the
 * scale.  The clock is the mains'. */
const struct dialect dialect_v7 = {
	.name = "v7",
	.rule = {.round_up = true},
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.never_fails = true,
	.full = CELL_WRAPS,
	.tick_ns = 1000000000 / 60,
	.stays_on_in_fork = true,
};

/* "Less than the buffer's size over sizeof(short)" is the number of a cell, not of a byte: else one
 * half of each buffer would be of no use. */
const struct dialect dialect_aix = {
	.name = "aix",
	.rule = {.round_up = true, .two_is_all = true},
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.scale_mask = 0xffff,
	.full = CELL_SATURATES,
	.checks_buffer = true,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
};

/* The C library of Linux 0.99.  An invalid buffer was a core dump; here it ends profiling. */
const struct dialect dialect_linux099 = {
	.name = "linux099",
	.off = OFF_SCALE_0 | OFF_SCALE_1,
	.never_fails = true,
	.full = CELL_WRAPS,
	.tick_ns = 10 * MILLISECOND_NS,
	.stays_on_in_fork = true,
};

const struct dialect *const dialect_list[] = {
	&dialect_bsd, &dialect_irix, &dialect_hpux,	&dialect_linux, &dialect_svr4,
	&dialect_v7,  &dialect_aix,  &dialect_linux099, NULL,
};
