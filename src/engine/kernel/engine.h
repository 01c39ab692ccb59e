/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_KERNEL_ENGINE_H
#define PROFIL_ENGINE_KERNEL_ENGINE_H

#include "engine/engine.h"

/* The kernel counts: a BPF program adds one to a cell at the clock's interrupt.  The collector
 * sleeps until the end. */
extern const struct engine_ops kernel_engine;

#endif
