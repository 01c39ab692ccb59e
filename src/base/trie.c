// SPDX-License-Identifier: BSD-2-Clause
#include "base/trie.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool node_is(const struct trie_node *node, uint32_t parent, uint64_t label)
{
	return node->parent == parent && node->label == label;
}

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct trie *trie = set;
	const struct trie_node *node = key;

	return node_is(&trie->nodes[number], node->parent, node->label);
}

/* The slot of a node that is not its parent's first child; it has the number and 1, or 0. */
static int find_slot(struct trie *trie, uint32_t parent, uint64_t label, uint32_t **ret_slot)
{
	const struct trie_node node = {.parent = parent, .label = label};
	const uint64_t words[] = {parent, label};
	int ret = slots_grow(&trie->slots, trie->parted);

	if (ret >= 0)
		*ret_slot = slots_find(&trie->slots, member_is, trie, &node,
				       hash_bytes(words, sizeof(words)));
	return ret;
}

int trie_add(struct trie *trie, uint32_t parent, uint64_t label, uint32_t *ret_number)
{
	uint32_t first = trie->count ? trie->nodes[parent].first : 0, *slot = NULL;
	int ret = 0;

	if (first && node_is(&trie->nodes[first], parent, label)) {
		*ret_number = first;
		return 0;
	}
	if (first)
		ret = find_slot(trie, parent, label, &slot);
	if (ret < 0)
		return ret;
	if (slot && *slot) {
		*ret_number = *slot - 1;
		return 0;
	}
	if (ARRAY_RESERVE(trie->nodes, trie->capacity, trie->count + 2))
		return -ENOMEM;
	*ret_number = (uint32_t)++trie->count;
	trie->nodes[*ret_number] = (struct trie_node){.parent = parent, .label = label};
	if (slot)
		*slot = *ret_number + 1;
	else
		trie->nodes[parent].first = *ret_number;
	trie->parted += slot != NULL;
	return 1;
}

void trie_done(struct trie *trie)
{
	free(trie->nodes);
	slots_done(&trie->slots);
	memset(trie, 0, sizeof(*trie));
}
