/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"
#include "symbol/symbol.h"

/* Give every location of PROFILE that has none its lines (functions, source lines, inlined
 * frames).  A location whose mapping has a note is named "object+0xaddress" and nothing is opened.
 * Overflow and unresolved locations get "[overflow]" and "[unresolved]: reason".
 * Returns 0, -ENOMEM, or -ECANCELED where the search was stopped (symbol/fetch.h): what has its
 * names then keeps them, and a later call gives the others theirs. */
int names_resolve(struct profile *profile, struct symbols *symbols);

/* The same; but what KNOWN, an earlier profile of the same measurement or NULL, has names for,
 * gets those, and no symbol is looked for. */
int names_resolve_knowing(struct profile *profile, struct symbols *symbols,
			  const struct profile *known);

/* How a mapping is called in one word: its file's base name, or "[kernel]" and the like. */
const char *names_object(const struct profile *profile, uint32_t mapping);

/* What LOCATION is called where no symbol says it: "object+0xaddress", "[overflow]",
 * "[unresolved]: reason".  Returns heap text, or NULL when memory is short. */
char *names_bare(const struct profile *profile, const struct profile_location *location);

/* Whether that is "object+0xaddress". */
bool names_bare_is_address(const struct profile *profile, const struct profile_location *location);
