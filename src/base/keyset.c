// SPDX-License-Identifier: BSD-2-Clause
#include "base/keyset.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t key_hash(const struct key *key)
{
	return hash_bytes(key, sizeof(*key));
}

static uint64_t member_hash(const void *set, uint32_t number)
{
	const struct keyset *keyset = set;

	return key_hash(&keyset->keys[number]);
}

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct keyset *keyset = set;

	return !memcmp(&keyset->keys[number], key, sizeof(struct key));
}

static const struct slots_members members = {.hash = member_hash, .is = member_is};

int keyset_add(struct keyset *keyset, const struct key *key, uint32_t *ret_number)
{
	uint32_t *slot;
	int ret;

	ret = slots_grow(&keyset->slots, &members, keyset, keyset->count);
	if (ret < 0)
		return ret;
	slot = slots_find(&keyset->slots, &members, keyset, key, key_hash(key));
	if (*slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	ret = ARRAY_RESERVE(keyset->keys, keyset->capacity, keyset->count + 1);
	if (ret < 0)
		return ret;
	keyset->keys[keyset->count] = *key;
	*ret_number = (uint32_t)keyset->count++;
	*slot = *ret_number + 1;
	return 1;
}

void keyset_done(struct keyset *keyset)
{
	free(keyset->keys);
	slots_done(&keyset->slots);
	memset(keyset, 0, sizeof(*keyset));
}
