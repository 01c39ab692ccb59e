/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/measure.h"
#include "engine/engine.h"

/* The engine that counts, and what it has open. */
struct engines {
	const struct measure_options *options;
	struct engine_options asked; /* OPTIONS' own, and what is to be started */
	struct engine_wish wish;
	const struct engine_ops *ops; /* engine_choose()'s */
	struct engine *engine;	      /* NULL: none is open */
	struct error no_stacks;	      /* why it has none where nobody said so; "": it has */
};

/* Say with which engine it is counted, and WHY not with a better one, unless nobody wants to know.
 */
void engines_say(const struct engines *engines, const struct error *why);

/* Say what the open engine keeps in memory, and what profil itself did at most. */
void engines_say_memory(const struct engines *engines);

/* Open the engine; where it cannot be, for a reason that nobody could ask before, without call
 * stacks, unless they were asked for; where it cannot be at all, the next one.  Returns 0, or
 * EXIT_PROFIL after having said why. */
int engines_open(struct engines *engines);

/* The one that is open could not go on, for a reason, WHY: close it, and open it without call
 * stacks, or the next one.  Returns whether there is one, and says so. */
bool engines_replace(struct engines *engines, const struct error *why);
