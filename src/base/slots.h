/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash table of a set whose members are numbered 0, 1, 2 ... and stand elsewhere. */

/* Zeroed is empty. */
struct slots {
	uint32_t *numbers; /* heap: a member's number + 1, 0 where free */
	size_t count;	   /* of slots: a power of two, at least twice as many as members */
	uint64_t looks;	   /* slots that were looked at, ever: no choice of keys makes them many */
};

/* What the members are, to SLOTS.  SET is the caller's. */
struct slots_members {
	/* The hash of member NUMBER; to be hash_bytes() where others choose the members. */
	uint64_t (*hash)(const void *set, uint32_t number);
	/* Whether member NUMBER is KEY. */
	bool (*is)(const void *set, uint32_t number, const void *key);
};

/* Room for one member more than MEMBER_COUNT.  Returns 0 or -ENOMEM (nothing changed). */
int slots_grow(struct slots *slots, const struct slots_members *members, const void *set,
	       size_t member_count);

/* The slot of KEY, whose hash is HASH, or the free one where it belongs; valid until the next
 * slots_grow(), before which it must have been called once. */
uint32_t *slots_find(struct slots *slots, const struct slots_members *members, const void *set,
		     const void *key, uint64_t hash);

/* Free what SLOTS owns and zero it. */
void slots_done(struct slots *slots);
