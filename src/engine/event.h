/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* What takes a sample in place of the clock: an event of the kernel's or of the hardware, by the
 * names that perf(1) has for it, each time it has come so many times. */

#define EVENT_NAME_MAX 128

struct event {
	char name[EVENT_NAME_MAX]; /* as it was asked for, and ":u" where that is all there is */
	uint32_t type;		   /* and the others: as perf_event_open(2) has them */
	uint64_t config, config1, config2;
	uint64_t period; /* events a sample, at least 1 */
	bool exclude_user, exclude_kernel;
	uint8_t precise; /* 0 to 3: how near the address must be to the instruction */
	bool in_kernel;	 /* it comes in kernel mode alone */
	bool is_clock;	 /* CPU time: no event, but what there is without */
};

/* The event called NAME ("page-faults", "cycles:u", "r01c4", "cpu/event=0xc4/",
 * "sched:sched_switch") with the period it has by default: 1, or of the hardware's a prime number.
 * ROOT stands before the paths of /sys: "", but for tests.  Returns 0, or -errno with a sentence
 * that begins with NAME. */
int event_find(const char *root, const char *name, struct event *ret_event, struct error *reterr);

/* Whether the kernel grants it to this process, on the calling thread: of an event that it gives in
 * user mode alone, that is taken.  Returns 0, or -errno with such a sentence. */
int event_settle(struct event *event, struct error *reterr);

/* Put EVENT into ATTR, which samples it from then on. */
static inline void event_fill(const struct event *event, struct perf_event_attr *attr)
{
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->sample_period = event->period;
	attr->exclude_user = event->exclude_user;
	attr->exclude_kernel = event->exclude_kernel;
	attr->precise_ip = event->precise & 3;
}

/* Call TAKE for each event there is: for names that are the same everywhere, those that can be
 * opened here; for the PMUs' own and the tracepoints, all that /sys names.  KIND is a heading,
 * "software".  Stops at the first error, which it returns. */
int event_each(const char *root, int (*take)(void *context, const char *kind, const char *name),
	       void *context);
