/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <stdint.h>

/* libprofil: a program measures itself.  Cells are the caller's memory; at each tick of the clock
 * the cell that the program counter falls into gets one more.  Nothing else is kept of a tick.
 *
 * The historical calls (profil, sprofil and each system's) are in <profil/DIALECT/...>; these are
 * the ones under them.  Unless said otherwise a function returns 0 or -1 with errno, is
 * thread-safe, is not async-signal-safe, and may be called on distinct measurements at once.  After
 * fork() a measurement that is on goes on in both processes, in the child with its own copy of
 * cells and account. */

#ifdef __cplusplus
extern "C" {
#endif

#define PROFIL_VERSION_MAJOR 0
#define PROFIL_VERSION_MINOR 1

enum profil_flags {
	PROFIL_SATURATE = 1,	/* a full cell stays full; else it wraps to 0 */
	PROFIL_THIS_THREAD = 2, /* measure the calling thread only; else all, and those to come */
};

struct profil_options {
	size_t size;	    /* sizeof(struct profil_options), so that it may grow */
	uint64_t period_ns; /* CPU time between ticks, 10,000 to 1,000,000,000; 0: about 1 ms */
	const char *engine; /* "kernel", "perf", "timer"; NULL: the first of these that can */
	unsigned flags;	    /* enum profil_flags */
};

struct profil_region {
	uintptr_t offset; /* the text's first address */
	size_t granule;	  /* text bytes a cell, 1 at least */
	void *cells;	  /* aligned to their width; must stay until profil_close() */
	size_t count;	  /* cells; text from offset + granule * count on is nobody's */
	unsigned bits;	  /* of a cell: 8, 16, 32 or 64 */
};

struct profil_account {
	size_t size;	    /* sizeof(struct profil_account) */
	uint64_t ticks;	    /* = counted + nobodys + saturated + lost */
	uint64_t counted;   /* in a cell */
	uint64_t nobodys;   /* at addresses of no region */
	uint64_t saturated; /* in cells that were full */
	uint64_t lost;	    /* dropped by a ring, or in cells that are no more */
	uint64_t unseen;    /* beyond TICKS: due by CPU_NS, and no clock showed where */
	uint64_t cpu_ns;    /* CPU time of the measured threads */
	uint64_t period_ns; /* of a tick, as it really is */
};

struct profil_measurement;

/* Make a measurement of this process, off.  Address a falls in cell (a - offset) / granule of the
 * region with the largest offset that holds it, the first of equals.  OPTIONS may be NULL; both are
 * read only during the call.  Several may be open and on at once. Returns NULL with errno EINVAL
 * (bits, alignment, period, flags, an empty region), ENOSYS (no such engine), EPERM (the engine
 * named cannot work here; profil_why() says why), ENOMEM. */
struct profil_measurement *profil_open(const struct profil_options *options,
				       const struct profil_region *regions, size_t count);

/* The same for the text of every object that is loaded now, with cells of its own. */
struct profil_measurement *profil_whole(const struct profil_options *options);

/* EALREADY: it is on.  When no engine can start, errno of the best one's reason. */
int profil_start(struct profil_measurement *measurement);
int profil_stop(struct profil_measurement *measurement); /* the cells are exact on return */

/* How it went so far; the cells may be read at any time. */
int profil_read(struct profil_measurement *measurement, struct profil_account *ret_account);

/* All cells and the account to 0; on or off it stays as it is.  EPERM: it is on and measures
 * another thread alone. */
int profil_reset(struct profil_measurement *measurement);

/* Write it as a profile (pprof's format, as 'profil report' reads it) to PATH, never half of one:
 * the cells, and what of the account's ticks is in none as unresolved, by its reasons. errno also
 * EOPNOTSUPP: libprofil-save.so is not installed, or the program is a static or 32-bit one. */
int profil_save(struct profil_measurement *measurement, const char *path);

/* Stop and free; takes NULL.  The cells stay the caller's with what they hold. */
void profil_close(struct profil_measurement *measurement);

/* The engine that counts, "kernel", "perf" or "timer", or would; why not a better one, in words, ""
 * when it is the best.  One that cannot start after all leaves it to the next: both may be others
 * after profil_start().  Valid until the next start, or profil_close().  MEASUREMENT may be NULL:
 * the last failed profil_open() of this thread. */
const char *profil_engine(const struct profil_measurement *measurement);
const char *profil_why(const struct profil_measurement *measurement);

/* "0.1.0" of the library that is loaded.  Async-signal-safe. */
const char *profil_version(void);

#ifdef __cplusplus
}
#endif

#endif
