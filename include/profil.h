/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <stdint.h>

/* libprofil: a program samples itself.  The caller provides the cells; at each sample the cell that
 * holds the program counter is incremented, and nothing else of the sample is kept.
 *
 * The historical calls (profil, sprofil and those of other systems) are in <profil/DIALECT/...>;
 * they are built on these functions.  Unless its comment says otherwise a function returns 0, or -1
 * with errno set.
 *
 * Structures may get more fields at their end.  As in the kernel's extensible structures (see
 * openat2(2)), `size` says how many bytes the caller has: fields beyond it read as 0 and are not
 * written; bytes that the library does not know must be 0, else it is EINVAL.  A size below
 * sizeof(size_t) or above 4,096 is EINVAL.
 *
 * Threads.  Functions marked "Threads: any" may be called by several threads at once, for one
 * measurement or many; one lock orders them, so that of two profil_start() one returns EALREADY,
 * and profil_read() sees the account before or after a concurrent start, stop or reset, never
 * between.  profil_close() is the exception: no other thread may use the measurement during or
 * after it.  Only what is marked "Signal-safe: yes" may be called in a signal handler; the rest may
 * wait for the lock.
 *
 * After fork() a running measurement goes on in both processes, in the child with its own copy of
 * the cells and of the account. */

#ifdef __cplusplus
extern "C" {
#endif

#define PROFIL_VERSION_MAJOR 0
#define PROFIL_VERSION_MINOR 1

enum profil_flags {
	PROFIL_SATURATE = 1,	/* a full cell stays full; otherwise it wraps to 0 */
	PROFIL_THIS_THREAD = 2, /* only the thread that starts it; otherwise all, also later ones */
};

struct profil_options {
	size_t size;	    /* sizeof(struct profil_options) */
	uint64_t period_ns; /* CPU time between samples, 10,000 to 1,000,000,000; 0: 1,003,009 */
	const char *engine; /* "kernel", "perf", "timer"; NULL: the first of these that works */
	uint64_t flags;	    /* enum profil_flags */
};

struct profil_region {
	uintptr_t offset; /* address of the first byte of text */
	size_t granule;	  /* bytes of text per cell, at least 1 */
	void *cells;	  /* the caller's, aligned to their width, valid until profil_close() */
	size_t count;	  /* cells; from offset + granule * count on, addresses are outside */
	unsigned bits;	  /* per cell: 8, 16, 32 or 64 */
};

struct profil_account {
	size_t size;	    /* sizeof(struct profil_account); on return the bytes filled in */
	uint64_t ticks;	    /* samples taken = counted + outside + saturated + lost */
	uint64_t counted;   /* in a cell */
	uint64_t outside;   /* at addresses of no region */
	uint64_t saturated; /* in cells that were full */
	uint64_t lost;	    /* dropped by a ring buffer, or the cells are gone */
	uint64_t unseen;    /* samples due by CPU_NS that were never taken */
	uint64_t cpu_ns;    /* CPU time of the measured threads */
	uint64_t period_ns; /* between samples, as it really is */
};

struct profil_measurement;

/* Make a measurement of this process; it is not started.  Address a is counted in cell
 * (a - offset) / granule of the region with the largest offset that contains it, of equal ones the
 * first: the rule of IRIX's sprofil(2).  OPTIONS may be NULL: all defaults.  OPTIONS and REGIONS
 * are read during the call only.  Several measurements may be open and running at once.
 *
 * Returns the measurement, which profil_close() frees, or NULL with errno EINVAL (bits, alignment,
 * period, flags, size, no region), ENOSYS (no engine of that name), EPERM (no engine, or not the
 * named one, can work here; profil_why(NULL) says why), ENOMEM.
 * Threads: any.  Signal-safe: no. */
struct profil_measurement *profil_open(const struct profil_options *options,
				       const struct profil_region *regions, size_t count);

/* The same for the text of all objects that are loaded now; the cells are the library's, 32 bits
 * for 4 bytes of text.  Objects loaded later are outside.
 * Threads: any.  Signal-safe: no. */
struct profil_measurement *profil_whole(const struct profil_options *options);

/* Start counting; cells and account continue where they were.  With PROFIL_THIS_THREAD the calling
 * thread is the one measured.  EALREADY: it is running.  If no engine can start: errno of the best
 * one's failure, and profil_why() has all.
 * Threads: any.  Signal-safe: no. */
int profil_start(struct profil_measurement *measurement);

/* Stop counting; on return the cells are exact.  Of one that is not running: 0, without effect.
 * Threads: any.  Signal-safe: no. */
int profil_stop(struct profil_measurement *measurement);

/* Fill in the account so far; *RET_ACCOUNT has its size set and the rest 0.  The cells themselves
 * may be read at any time, by atomic loads while it is running.  EINVAL: the size, or bytes that
 * are not 0 beyond what the library knows.  Other errors are the engine's.
 * Threads: any.  Signal-safe: no. */
int profil_read(struct profil_measurement *measurement, struct profil_account *ret_account);

/* Set all cells and the account to 0; a running measurement goes on, errors as of profil_start().
 * EPERM: it is running and measures another thread alone.
 * Threads: any.  Signal-safe: no. */
int profil_reset(struct profil_measurement *measurement);

/* Write the cells as a profile (pprof's format, which 'profil report' reads) to PATH, whole or not
 * at all.  Samples that are in no cell are written as unresolved, by reason.  errno is that of the
 * file, or EOPNOTSUPP: libprofil-save.so is not installed, or the program is static or 32-bit.
 * Threads: any.  Signal-safe: no. */
int profil_save(struct profil_measurement *measurement, const char *path);

/* Stop and free; NULL is allowed, errno is kept.  The caller's cells keep their counts.
 * Threads: one, and no other may use MEASUREMENT any more; others may be in use meanwhile.
 * Signal-safe: no. */
void profil_close(struct profil_measurement *measurement);

/* The engine that counts or would count: "kernel", "perf" or "timer".  profil_start() can change
 * it: an engine that cannot start is passed over.  Returns a constant; "" for NULL.
 * Threads: any.  Signal-safe: no. */
const char *profil_engine(const struct profil_measurement *measurement);

/* Why no better engine counts, one line for each; "" if the best one does.  NULL: why the last
 * profil_open() or profil_whole() of this thread failed.  The text belongs to the library and is
 * valid until the next profil_start(), profil_reset() or profil_close() of MEASUREMENT, for NULL
 * until the next open: it must not be read while another thread calls these.
 * Threads: any, but for that.  Signal-safe: no. */
const char *profil_why(const struct profil_measurement *measurement);

/* The version of the loaded library, as "0.1.0"; a constant.
 * Threads: any.  Signal-safe: yes. */
const char *profil_version(void);

#ifdef __cplusplus
}
#endif

#endif
