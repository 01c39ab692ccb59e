/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include <stddef.h>
#include <stdint.h>

/* The same work for up to 64 threads, each in a copy of the function for itself, so that a
 * histogram tells them apart.  No system call is made in it. */

enum { WORK_COPIES = 64, WORK_COPY_SIZE = 256 };

/* Where the copies are, one after the other, each WORK_COPY_SIZE bytes long. */
uintptr_t work_text(void);

/* One copy; returns when it has run MILLIONS of steps. */
void work_run(size_t copy, uint64_t millions);

/* CPU time of the calling thread. */
uint64_t work_cpu_ns(void);

/* COUNT threads at once, MILLIONS of steps each; RET_CPU_NS[i] is what copy i took.  Exits when a
 * thread cannot be made. */
void work_threads(size_t count, uint64_t millions, uint64_t *ret_cpu_ns);

#endif
