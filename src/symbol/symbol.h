/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an address is called.  Knows nothing of how counts were taken or kept. */

struct symbols; /* all sources, with what they have opened so far */

enum symbol_space {
	SYMBOL_FILE,   /* an ELF file, addresses as its p_vaddr has them */
	SYMBOL_KERNEL, /* the running kernel */
	SYMBOL_VDSO,   /* the running kernel's 64-bit vdso, offsets from its start */
	SYMBOL_ANON,   /* JIT code of a process */
};

/* Whose addresses these are.  Text is only read during the call. */
struct symbol_object {
	enum symbol_space space;
	const char *path;     /* SYMBOL_FILE: the file, already known to be the one that ran */
	const char *build_id; /* hexadecimal or "" (for debuginfod and separate debug files) */
	uint32_t pid;	      /* SYMBOL_ANON */
};

/* One frame of an inline chain. */
struct symbol_frame {
	const char *function;	 /* demangled; never NULL */
	const char *system_name; /* as the linker sees it; the same text where not mangled */
	const char *file;	 /* source path, "" when unknown */
	uint32_t line;		 /* in file, of this address or of the call, 0 when unknown */
	uint32_t start_line;	 /* where the function is declared, 0 when unknown */
};

/* How a place got its name, from the surest down. */
enum symbol_certainty {
	SYMBOL_NAMED,	/* by a symbol or DWARF function that spans the address */
	SYMBOL_BOUNDED, /* nameless, but its start is known (unwind table): "object+0xstart" */
	SYMBOL_UNKNOWN, /* nothing known: "object+0xaddress" */
};

struct symbol_place {
	enum symbol_certainty certainty;
	size_t frame_count;	     /* at least 1 */
	struct symbol_frame *frames; /* innermost first; the symbol table's function last */
};

/* SYMBOL_INLINES off leaves out the inline chain. */
struct symbols_options {
	bool no_inlines;
};

/* Returns 0, or -errno with a sentence. symbols_close() takes NULL, returns NULL. */
int symbols_open(const struct symbols_options *options, struct symbols **ret_symbols,
		 struct error *reterr);
struct symbols *symbols_close(struct symbols *symbols);

/* Name COUNT addresses of one object at once; ADDRESSES must be in rising order (so that the
 * kernel's list and the DWARF of a large program are read once, in order).  Calls TAKE once per
 * address, in order, with a place that is valid during the call only.  TAKE returns 0, or a
 * negative errno that ends the walk and is returned; it is -ECANCELED where the search for names is
 * stopped (symbol/fetch.h).
 * An object that cannot be opened still names every address, as SYMBOL_UNKNOWN. */
typedef int symbol_take(void *context, size_t index, const struct symbol_place *place);
int symbols_name(struct symbols *symbols, const struct symbol_object *object,
		 const uint64_t *addresses, size_t count, symbol_take *take, void *context);
