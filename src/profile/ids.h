/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A file names its mappings, functions and locations by any numbers it likes; a profile counts
 * them from 0.  Fill it, sort it, then look things up. */
struct ids {
	struct id {
		uint64_t id;
		uint32_t index;
	} * items;
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM. */
int ids_add(struct ids *ids, uint64_t id, uint32_t index);

/* Returns 0, or -EBADMSG when one id stands for two things or is 0. */
int ids_sort(struct ids *ids);

/* Returns 0, or -EBADMSG when ID was never added. */
int ids_find(const struct ids *ids, uint64_t id, uint32_t *ret_index);

void ids_done(struct ids *ids);
