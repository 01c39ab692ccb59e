/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/demangle.h"
#include "symbol/symbol.h"

/* What the sources of names share.  A new source is one file with a struct symbol_source_ops, and
 * one row in symbol.c. */

struct elf_cache;
struct ksym;

#define KALLSYMS_USUAL "/proc/kallsyms"

struct symbols {
	struct symbols_options options;
	struct demangler *demangler;
	struct elf_cache *elf_cache; /* elf.c's */
	struct ksym *ksym;	     /* ksym.c's, once it was asked; or NULL */
	const char *kallsyms_path;   /* KALLSYMS_USUAL but in tests */
	const char *perfmap_folder;  /* "/tmp" but in tests */
};

/* One call of symbols_name(). */
struct symbol_batch {
	struct symbols *symbols;
	const struct symbol_object *object;
	const uint64_t *addresses; /* rising */
	size_t count;
	symbol_take *take;
	void *context;
};

struct symbol_source_ops {
	const char *name; /* in one word */
	/* Take every address of BATCH once, in order, as symbols_name() promises.
	 * Returns 0, -ENOMEM, or what TAKE returned. */
	int (*name_batch)(const struct symbol_batch *batch);
};

extern const struct symbol_source_ops elf_source, ksym_source, kallsyms_source, vdso_source,
	perfmap_source;

/* It may be NULL. */
void ksym_close(struct ksym *asker);

/* Give the address INDEX of BATCH the one frame NAME, without a source line. */
int batch_take(const struct symbol_batch *batch, size_t index, enum symbol_certainty certainty,
	       const char *name);

/* Nothing is known of the address INDEX of BATCH, which is in OBJECT: "object+0xaddress". */
int batch_take_unknown(const struct symbol_batch *batch, size_t index, const char *object);

/* The same for all of them. */
int batch_take_all_unknown(const struct symbol_batch *batch, const char *object);

/* The first of the addresses of BATCH that is ADDRESS or above; count when there is none. */
size_t batch_lower_bound(const struct symbol_batch *batch, uint64_t address);
