/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/slots.h"

#include <stddef.h>
#include <stdint.h>

/* Distinct paths of labels from a root, each a node: what LABEL follows its parent.  Nodes are
 * numbered 1, 2, 3 ... in the order in which they were first seen; 0 is the root. */

struct trie_node {
	uint32_t parent;
	uint32_t first; /* its first child; 0: it has none */
	uint64_t label;
};

/* Zeroed is empty. */
struct trie {
	struct trie_node *nodes; /* by number; COUNT and the root */
	size_t count, capacity;
	struct slots slots; /* of nodes that are nobody's first child: paths part there */
	size_t parted;	    /* how many they are */
};

/* The number of what LABEL follows PARENT, which is added if it is new.
 * Returns 1 when it was new, 0 when known, or -ENOMEM. */
int trie_add(struct trie *trie, uint32_t parent, uint64_t label, uint32_t *ret_number);

/* Free what TRIE owns and zero it. */
void trie_done(struct trie *trie);
