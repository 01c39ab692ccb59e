/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"

/* The engine of whoever may open perf events on his own processes (perf_event_paranoid of 2 or
 * less): the kernel writes each tick into a ring, the collector adds it to a cell and forgets it.
 */
extern const struct engine_ops perf_engine;
