/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/lives.h"

#include <linux/perf_event.h>

/* What RECORD says of the lives of threads, if anything. */
void perf_switches_take(struct lives *lives, const struct perf_event_header *record);

/* TASK, a thread, is there already, and gets its name.  Its life begins now, with what /proc says
 * that it does; or where it IS_NEW with its first event. */
void perf_switches_adopt(struct lives *lives, struct histogram_task *task, bool is_new);
