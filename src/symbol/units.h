/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <elfutils/libdw.h>
#include <stdbool.h>

/* Which compile unit and which function an address is in, by DWARF.  The units are indexed at once,
 * by their own ranges (not .debug_aranges, which clang and rustc leave out); the functions of a
 * unit when an address in it is first asked for.  Addresses are those of the DWARF. */

struct unit {
	Dwarf_Die die;	/* has the lines */
	Dwarf_Die tree; /* has the functions: another one when they are split off into a .dwo */
	bool is_read;
	struct spans functions; /* value: the address of the DIE in memory */
};

struct units {
	struct unit *items; /* all zero has no units */
	size_t count, capacity;
	struct spans ranges; /* value: the unit's index */
};

/* Index the units of DWARF that have code in CODE, the executable ranges in DWARF's addresses.
 * Returns 0 or -ENOMEM; *UNITS must be passed to units_done() in either case. */
int units_read(struct units *units, Dwarf *dwarf, const struct spans *code);

/* The unit of ADDRESS, NULL when there is none. */
struct unit *units_find(struct units *units, uint64_t address);

/* The function of UNIT that ADDRESS is in.
 * Returns 1 and the function, 0 when there is none, or -ENOMEM. */
int unit_function(struct unit *unit, uint64_t address, Dwarf_Die *ret_function);

void units_done(struct units *units);
