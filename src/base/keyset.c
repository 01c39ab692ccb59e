// SPDX-License-Identifier: BSD-2-Clause
#include "base/keyset.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256

/* Multiply and fold, word by word; the constant is 2^64 over the golden ratio. */
static uint64_t key_hash(const struct key *key)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(key->words); i++) {
		hash = (hash ^ key->words[i]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return hash;
}

/* The slot of KEY, or the free one where it belongs.  There is always a free one. */
static uint32_t *find_slot(const struct keyset *keyset, const struct key *key)
{
	size_t mask = keyset->slot_count - 1;
	size_t i = key_hash(key) & mask;

	while (keyset->slots[i] &&
	       memcmp(&keyset->keys[keyset->slots[i] - 1], key, sizeof(*key)) != 0)
		i = (i + 1) & mask;
	return &keyset->slots[i];
}

/* At most half full, so that a walk stays short. */
static int grow(struct keyset *keyset)
{
	size_t slot_count = keyset->slot_count ? keyset->slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots;

	if (keyset->count * 2 < keyset->slot_count)
		return 0;
	slots = calloc(slot_count, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(keyset->slots);
	keyset->slots = slots;
	keyset->slot_count = slot_count;
	for (size_t i = 0; i < keyset->count; i++)
		*find_slot(keyset, &keyset->keys[i]) = (uint32_t)i + 1;
	return 0;
}

int keyset_add(struct keyset *keyset, const struct key *key, uint32_t *ret_number)
{
	uint32_t *slot;
	int r;

	r = grow(keyset);
	if (r < 0)
		return r;
	slot = find_slot(keyset, key);
	if (*slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	r = ARRAY_RESERVE(keyset->keys, keyset->capacity, keyset->count + 1);
	if (r < 0)
		return r;
	keyset->keys[keyset->count] = *key;
	*ret_number = (uint32_t)keyset->count++;
	*slot = *ret_number + 1;
	return 1;
}

void keyset_done(struct keyset *keyset)
{
	free(keyset->keys);
	free(keyset->slots);
	memset(keyset, 0, sizeof(*keyset));
}
