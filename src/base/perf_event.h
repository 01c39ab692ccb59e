/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* perf_event_open(2), in a measured program as well as outside: on libc alone. */

/* An event of TID (0: the calling thread, -1: all) on CPU (-1: any).  Returns its descriptor,
 * closed on exec, or -errno. */
int perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);

/* Whether it can be opened: it is closed at once.  Returns 0 or -errno. */
int perf_event_try(const struct perf_event_attr *attr, pid_t tid, int cpu);

/* Make ATTR the best that this kernel gives this process, tried on the calling thread.  What may be
 * left out: the kernel's own ticks with their callers, what an event has counted (in its samples,
 * and of lost records), and that forked processes do not inherit it.  Returns 0, or -errno with a
 * sentence. */
int perf_event_settle(struct perf_event_attr *attr, const char *who, struct error *reterr);

/* Return CODE, a negative errno of these calls, with a sentence that begins with WHO. */
int perf_event_refuse(int code, const char *who, struct error *reterr);
