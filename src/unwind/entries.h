/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/bytes.h"

#include <stddef.h>

/* The entries of .eh_frame and .debug_frame: one a function, each with a common entry (CIE) that
 * says how to read it. */

struct unwind_section {
	const uint8_t *data; /* the caller's */
	size_t size;
	uint64_t address;   /* where the section is in the file's own addresses */
	uint32_t word_size; /* 4 or 8 */
	bool is_debug_frame;
};

struct unwind_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register; /* DWARF's number */
	uint8_t encoding;	  /* of addresses: DW_EH_PE_* */
	bool is_signal;
	bool has_length; /* of augmentation data, in each entry */
	struct bytes program;
};

struct unwind_entry {
	uint64_t start, end; /* half open; never empty, never wraps */
	struct unwind_common common;
	uint64_t common_at; /* where it is in the section: equal for equal ones */
	struct bytes program;
};

struct unwind_entries {
	struct unwind_section section;
	uint64_t at;
	uint64_t common_at; /* of COMMON; UINT64_MAX before the first */
	bool is_known;	    /* COMMON is understood */
	struct unwind_common common;
};

void unwind_entries_start(struct unwind_entries *entries, const struct unwind_section *section);

/* The next function.  What is not understood is passed over; false at the end, or where what is
 * damaged does not say where the next entry is.  Signal-safe: yes. */
bool unwind_entries_next(struct unwind_entries *entries, struct unwind_entry *ret_entry);
