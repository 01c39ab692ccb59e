/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"

#include <stdbool.h>
#include <stdint.h>

/* The counter line on a terminal while the program runs. */
struct live {
	bool wanted; /* stderr is a terminal and nobody said -q */
	bool shown;
};

void live_init(struct live *live, bool quiet);
bool live_wanted(const struct live *live);

/* Show how far it is.  Not while a program has the terminal for itself (an editor, a pager). */
void live_show(struct live *live, const struct engine_ops *ops, struct engine *engine,
	       uint64_t elapsed_ns);

/* Take the line away. */
void live_clear(struct live *live);
