/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The tree of a memory map's mappings, read without its lock. */

/* A node of the tree of mappings (lib/maple_tree.c).  Its layout has stood since 6.1; a wrong
 * reading of it cannot go unseen, for the mapping found is checked against the address. */
struct maple_node_range { /* type 1 (leaf) and 2 */
	void *parent;
	unsigned long pivot[15];
	unsigned long slot[16];
};

struct maple_node_arange { /* type 3: inner nodes of a memory map */
	void *parent;
	unsigned long pivot[9];
	unsigned long slot[10];
	unsigned long gap[10];
};

enum maple_node_type {
	MAPLE_DENSE,
	MAPLE_LEAF,
	MAPLE_RANGE,
	MAPLE_ARANGE,
};

/* How many of the COUNT pivots lie below PC: the slot to go down.  Unused pivots are 0 and stand
 * for "no bound"; addresses are below 2^63.  Without a branch, so that the verifier sees one path:
 * the top bit of the difference is the borrow. */
#define PIVOTS_BELOW(pivots, count, pc)                                          \
	({                                                                       \
		__u64 below_ = 0;                                                \
		_Pragma("unroll") for (int i_ = 0; i_ < (count); i_++) below_ += \
			((((pivots)[i_] - 1) & ~(1ull << 63)) - ((pc)-1)) >> 63; \
		below_;                                                          \
	})

struct maple_path {
	__u64 entry, pc;
	struct maple_node_range *scratch;
	__u64 found;
};

/* A node: to the one below, or to what is found. */
static long maple_step(__u32 index, struct maple_path *path)
{
	struct maple_node_range *range = path->scratch;
	struct maple_node_arange *arange = (void *)range;
	__u32 type = (path->entry >> 3) & 0xf;
	__u64 slot;

	if (bpf_probe_read_kernel(range, sizeof(*range), (void *)(path->entry & ~0xffull)))
		return 1;
	if (type == MAPLE_ARANGE) {
		slot = PIVOTS_BELOW(arange->pivot, 9, path->pc);
		if (slot > 9)
			return 1;
		path->entry = arange->slot[slot];
		return 0;
	}
	slot = PIVOTS_BELOW(range->pivot, 15, path->pc);
	if (slot > 15)
		return 1;
	path->entry = range->slot[slot];
	if (type != MAPLE_LEAF)
		return 0;
	path->found = path->entry & 3 ? 0 : path->entry;
	return 1;
}

/* The mapping at PC by the tree whose root pointer (mm_struct.mm_mt.ma_root) is ENTRY, or 0.
 * SCRATCH has room for a node.  A pointer to a node has the node's type in its low byte; the root
 * pointer is one only if its second bit is set. */
static __always_inline __u64 maple_walk(__u64 entry, __u64 pc, struct maple_node_range *scratch)
{
	struct maple_path path = {.entry = entry, .pc = pc, .scratch = scratch};

	if ((entry & 3) != 2)
		return 0;
	bpf_loop(8, maple_step, &path, 0);
	return path.found;
}
