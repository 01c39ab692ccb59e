/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* The functions of one object by address, each with its end.  Names are not copied: they live in
 * the string tables of the object. */
struct symtab {
	struct spans spans; /* all zero is an empty table */
};

struct symtab_entry {
	const char *name;
	uint64_t start;	 /* of the part of the function that was found */
	bool has_no_end; /* written in assembly without .size: its end is a guess */
};

/* Add the symbol NAME at ADDRESS if it names code: a function, or a label in one of CODE (the
 * executable ranges of the object).  Returns 0 or -ENOMEM. */
int symtab_add(struct symtab *symtab, const struct spans *code, uint64_t address,
	       const GElf_Sym *symbol, const char *name);

/* Add all symbols of MODULE, whose addresses are BIAS above the file's own. */
int symtab_read(struct symtab *symtab, const struct spans *code, Dwfl_Module *module,
		GElf_Addr bias);

/* Add the functions of Go's own table, which stripping leaves, where ELF has no table of symbols.
 * Returns 0 or -ENOMEM. */
int symtab_read_go(struct symtab *symtab, const struct spans *code, Elf *elf);

/* After the last symbol, before the first lookup.  Returns 0 or -ENOMEM. */
int symtab_finish(struct symtab *symtab);

/* The symbol that spans ADDRESS; false when none does.  A symbol with a size is never given for an
 * address past its end; one without reaches to the next symbol or the end of its section, and no
 * further than the unwind table or its own code says (symbol/object.c). */
bool symtab_find(const struct symtab *symtab, uint64_t address, struct symtab_entry *ret_entry);

/* Which of two names of one thing to show: > 0 for A, 0 if they are the same text. */
int symtab_better_name(const char *a, const char *b);

void symtab_done(struct symtab *symtab);
