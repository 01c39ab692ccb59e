/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/strings.h"
#include "symbol/demangle.h"
#include "symbol/scopes.h"
#include "symbol/symbol.h"
#include "symbol/units.h"

/* The source lines and inline chain of an address, by the DWARF of one object. */

struct frames {
	Dwarf *base;	   /* the caller's */
	Dwarf *dwarf;	   /* of our own over the same file, renewed when it has grown too big */
	uint64_t shift;	   /* from the file's own addresses to those of the DWARF */
	struct spans code; /* executable, in the addresses of the DWARF */
	size_t rows;	   /* of line tables that DWARF has in memory */
	size_t rows_max;   /* more than these make it too big; frames_open() sets a good one */
	struct units units;
	struct scopes scopes;
	struct strings *paths; /* of sources that the DWARF names from where they were compiled */
	struct symbol_frame *items; /* the chain that was asked for last */
	size_t count, capacity;
};

/* What the DWARF has at one address. */
struct frames_place {
	uint64_t address;
	struct unit *unit; /* NULL when it has nothing */
	bool has_function;
	Dwarf_Die function; /* as it stands in the code, not the inlined one */
};

/* All zero is DWARF that knows nothing.  DWARF must stay until frames_done().  CODE has the
 * executable ranges in the file's own addresses.  Returns 0 or -ENOMEM; *FRAMES must be passed to
 * frames_done() in either case. */
int frames_open(struct frames *frames, Dwarf *dwarf, uint64_t shift, const struct spans *code);

/* Look ADDRESS (the file's own) up.  Any text and place given before may be gone afterwards.
 * Returns 0 or -ENOMEM. */
int frames_locate(struct frames *frames, uint64_t address, struct frames_place *ret_place);

/* The linker's name of the function of PLACE, NULL when there is none. */
const char *frames_function(const struct frames_place *place);

/* Make FRAMES->items the chain at PLACE, innermost first, the last of which is called NAME.  With
 * INLINES off the chain is that one frame.  Returns 0 or -ENOMEM. */
int frames_chain(struct frames *frames, const struct frames_place *place, const char *name,
		 bool inlines, struct demangler *demangler);

void frames_done(struct frames *frames);
