/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/table.h"

#include <stdint.h>

/* Compiled unwind tables of large files, kept on disk: $XDG_CACHE_HOME/profil, ~/.cache/profil.
 *
 * A table is of one file: its place, size and times.  A build-id would not do, for anybody can give
 * his file another's, and a wrong table is a wrong caller.  And it is of the profil that made it,
 * whose own build-id it has: another one compiles anew. */

/* As unwind_load() does, out of the cache where the table is there, and into it where that pays.
 * Without a cache that is the user's alone, as without room, it is unwind_load(). */
int unwind_load_cached(int fd, struct unwind_table *ret_table);

/* What a table in the cache begins with; rows and rules follow as they are. */
struct unwind_cache_head {
	char magic[8];
	uint64_t sum; /* unwind_cache_sum() */
	struct unwind_cache_key {
		uint64_t device, inode, size;
		int64_t modified_ns, changed_ns;
		uint8_t maker[20]; /* profil's build-id, or as much of it */
		uint32_t word_size;
	} key; /* WORD_SIZE is the table's; 0 where a key is compared */
	uint64_t row_count, rule_count;
};

/* Of all that is behind the sum. */
uint64_t unwind_cache_sum(const void *cached, size_t size);

/* The table that the SIZE bytes at CACHED are, a struct unwind_cache_head's alignment, if it is
 * that of KEY, whole, and as unwind_compile() could have made it.  Returns 0, -EBADMSG or -ENOMEM;
 * RET_TABLE is freed by unwind_table_done(). */
int unwind_cache_parse(const void *cached, size_t size, const struct unwind_cache_key *key,
		       struct unwind_table *ret_table);
