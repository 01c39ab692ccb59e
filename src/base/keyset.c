// SPDX-License-Identifier: BSD-2-Clause
#include "base/keyset.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct keyset *keyset = set;

	return !memcmp(&keyset->keys[number], key, sizeof(struct key));
}

int keyset_add(struct keyset *keyset, const struct key *key, uint32_t *ret_number)
{
	uint32_t *slot;
	int ret;

	ret = slots_grow(&keyset->slots, keyset->count);
	if (ret < 0)
		return ret;
	slot = slots_find(&keyset->slots, member_is, keyset, key, hash_bytes(key, sizeof(*key)));
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
