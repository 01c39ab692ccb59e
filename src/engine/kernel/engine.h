/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"

/* The kernel counts: a BPF program adds one to a cell at the clock's interrupt.  The collector
 * sleeps until the end. */
extern const struct engine_ops kernel_engine;
