/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
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

/* The MiB for tables that what PROGRAM will load asks for; 0: there was room. */
uint32_t unwinding_wanted_mib(const struct unwinding *unwinding);

/* Whether a walk past OFFSET of the file NUMBER, of those that the BPF program has, took the right
 * caller (framed.h for IS_EXACT).  What was found out is kept. */
bool unwinding_is_sure(struct unwinding *unwinding, uint32_t number, uint64_t offset,
		       bool is_exact);

/* Readable when unwinding_serve() is due: files were met whose tables are not there yet. */
int unwinding_wakeup(const struct unwinding *unwinding);
void unwinding_serve(struct unwinding *unwinding);
