/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/event.h"

/* What /sys says of events: the kernel's PMUs and tracepoints.  ROOT stands before it. */

/* NAME is "PMU/TERMS": terms as /sys/bus/event_source/devices/PMU/format names them ("event=0xc4"),
 * names of /sys/.../events, and config, config1, config2 and period, with commas between.  It is
 * written to. */
int event_files_pmu(const char *root, char *name, struct event *event, struct error *reterr);

/* The tracepoint SYSTEM:NAME. */
int event_files_tracepoint(const char *root, const char *system, const char *name,
			   struct event *event, struct error *reterr);

/* As event_each(), those of PMUs and the tracepoints. */
int event_files_each(const char *root,
		     int (*take)(void *context, const char *kind, const char *name), void *context);
