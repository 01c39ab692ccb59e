/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

struct engine;
struct kernel;

/* The unwind tables of the measured programs' files, in maps that the BPF program reads: of what a
 * program is known to load before it starts, of anything else when the first tick met it. */
struct unwinding;

/* Map what was loaded, and compile what PROGRAM (NULL: none) will load.  Returns 0 or -errno; *RET
 * is the caller's, unwinding_close(). */
int unwinding_open(struct engine *engine, struct unwinding **ret);
void unwinding_close(struct unwinding *unwinding);

/* Readable when unwinding_serve() is due: files were met whose tables are not there yet. */
int unwinding_wakeup(const struct unwinding *unwinding);
void unwinding_serve(struct unwinding *unwinding);
