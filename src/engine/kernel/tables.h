/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/kernel/stacks.h"
#include "unwind/rules.h"
#include "unwind/table.h"

struct engine;
struct kernel;

/* The unwind tables of all files as the BPF program reads them: in maps of its, one behind the
 * other. */
struct kernel_tables {
	struct kernel_table *of; /* a file, by its number, or a STACK_TABLE_... */
	struct kernel_table_page *pages;
	struct kernel_table_row *rows;
	struct kernel_rule *rules;
	uint32_t page_count, row_count, most_pages, most_rows;
	uint64_t lacking;	   /* rows for which there was no room */
	struct unwind_rules known; /* those that RULES has */
};

/* Before the program is loaded: how large the maps are to be.  Returns 0 or -errno. */
int kernel_tables_configure(const struct engine *engine);

/* The MiB that would have had room for all tables so far, and as much more as there is without a
 * word; 0: there was room. */
uint32_t kernel_tables_wanted(const struct kernel_tables *tables);

/* Map what was loaded.  Returns 0 or -ENOMEM; in both cases kernel_tables_unmap() ends it. */
int kernel_tables_map(struct kernel_tables *ret_tables, const struct kernel *kernel);
void kernel_tables_unmap(struct kernel_tables *tables, const struct kernel *kernel);

/* FROM is the table in SLOT, or there is no room for it: its state says so. */
void kernel_tables_put(struct kernel_tables *tables, uint32_t slot,
		       const struct unwind_table *from);
