/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"

/* The engine that asks nothing of the kernel but timers: libprofil-preload.so, in the program and
 * in all that it executes, counts into memory that profil has made (engine/timer/inside/handoff.h).
 */
extern const struct engine_ops preload_engine;
