/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash table of a set whose members are numbered 0, 1, 2 ... and stand elsewhere. */

/* Zeroed is empty. */
struct slots {
	struct slot *slots; /* heap */
	size_t count;	    /* a power of two, at least twice as many as members */
	uint64_t looks;	    /* slots that were looked at, ever: no choice of keys makes them many */
};

/* A member's hash is here too, for in a large set the member itself is not in the cache. */
struct slot {
	uint32_t number; /* a member's and 1, 0 where free */
	uint32_t hash;	 /* its lower half */
};

/* Whether member NUMBER of SET, the caller's, is KEY. */
typedef bool slots_is(const void *set, uint32_t number, const void *key);

/* Room for one member more than MEMBER_COUNT.  Returns 0 or -ENOMEM (nothing changed). */
int slots_grow(struct slots *slots, size_t member_count);

/* Where the number of KEY and 1 is; or 0, in the free slot that becomes its by the number being
 * set.  HASH is to be hash_bytes() of it where others choose the members.  Valid until the next
 * slots_grow(), which must have been called once before. */
uint32_t *slots_find(struct slots *slots, slots_is *is, const void *set, const void *key,
		     uint64_t hash);

/* Free what SLOTS owns and zero it. */
void slots_done(struct slots *slots);
