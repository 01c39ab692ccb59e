/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stddef.h>
#include <stdint.h>

/* What a file on disk says of itself now, compared with what it was when it ran. */

enum module_state {
	MODULE_SAME,	   /* the file that ran is the file at the path */
	MODULE_MISSING,	   /* nothing at the path any more */
	MODULE_UNREADABLE, /* there, but not to be opened or read */
	MODULE_CHANGED,	   /* another file stands there now */
	MODULE_NOT_ELF,	   /* the same file, not an ELF one */
};

struct module_segment {
	uint64_t offset, size; /* in the file, bytes */
	uint64_t address;      /* where the file's own addresses (p_vaddr) put it */
	uint32_t executable;
};

struct module {
	enum module_state state;
	char build_id[2 * 64 + 1];	 /* hexadecimal, "" when it has none */
	struct module_segment *segments; /* PT_LOAD; heap */
	size_t segment_count;
};

/* Look at PATH, which was IDENTITY when it ran.  BUILD_ID (hex, "" when unknown; zeros at its end
 * do not count) decides where it is known, the identity otherwise.  Fills *RET_MODULE in every case
 * but -ENOMEM; its state says how far it got.  The caller frees it with module_done(). */
int module_inspect(const char *path, const struct file_identity *identity, const char *build_id,
		   struct module *ret_module);
void module_done(struct module *module);

/* One sentence on why names are not guessed at, "" for MODULE_SAME. */
const char *module_state_text(enum module_state state);

/* The file's own address (as objdump and addr2line show it) of OFFSET, with the segment it is in.
 * Returns NULL when no segment holds it. */
const struct module_segment *module_address(const struct module *module, uint64_t offset,
					    uint64_t *ret_address);
