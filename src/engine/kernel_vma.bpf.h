/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_KERNEL_VMA_BPF_H
#define PROFIL_ENGINE_KERNEL_VMA_BPF_H

/* Which mapping is at an address of a memory map: three ways, cheapest first.
 *
 * 1. A cached answer (kernel.bpf.c), still good when the map's write generation has not moved, or
 *    when the mapping itself has not been write-locked since.
 * 2. A walk down the map's own tree without its lock (Linux 6.1 on).  The tree's nodes are freed
 *    by RCU, so that a reader may be late but not lost; what it finds is checked: the right
 *    map, the right addresses.
 * 3. bpf_find_vma(), which takes the lock if it is free.  It lets the lock go through a
 *    self-interrupt, which costs as much as the tick itself: never where 2. works. */

struct vma_view {
	__u64 vma; /* its address; a number, never followed but by bpf_probe_read_kernel() */
	__u64 mm;
	__u64 start, end;
	__u64 page_offset;
	__u64 file; /* struct file, 0: none */
	__u32 lock_seq;
};

static __always_inline __u64 read_u64(__u64 address)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)address);
	return value;
}

/* The write generation of a memory map.  *RET_EXACT: two equal readings mean that nothing was
 * written in between; else only that it is likely. */
static __always_inline __u32 mm_generation(struct mm_struct *mm, bool *ret_exact)
{
	struct mm_struct___seqcount *seqcount = (void *)mm;
	struct mm_struct___int *plain = (void *)mm;

	*ret_exact = true;
	if (bpf_core_field_exists(seqcount->mm_lock_seq.sequence))
		return seqcount->mm_lock_seq.sequence;
	if (bpf_core_field_exists(plain->mm_lock_seq))
		return plain->mm_lock_seq;
	*ret_exact = false;
	return mm->map_count + 31 * mm->exec_vm + 1009 * mm->total_vm;
}

static __always_inline bool vma_look(__u64 address, struct vma_view *view)
{
	struct vm_area_struct *vma = (void *)address;
	struct vm_area_struct___locked *locked = (void *)address;

	if (!address)
		return false;
	view->vma = address;
	view->mm = (__u64)BPF_CORE_READ(vma, vm_mm);
	view->start = BPF_CORE_READ(vma, vm_start);
	view->end = BPF_CORE_READ(vma, vm_end);
	view->page_offset = BPF_CORE_READ(vma, vm_pgoff);
	view->file = (__u64)BPF_CORE_READ(vma, vm_file);
	view->lock_seq = 0;
	if (bpf_core_field_exists(locked->vm_lock_seq))
		view->lock_seq = BPF_CORE_READ(locked, vm_lock_seq);
	return true;
}

static __always_inline bool vma_holds(const struct vma_view *view, __u64 mm, __u64 pc)
{
	return view->mm == mm && view->start <= pc && pc < view->end;
}

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

/* The mapping at PC by the tree, or 0.  SCRATCH has room for a node.  A pointer to a node has the
 * node's type in its low byte; the root pointer is one only if its second bit is set. */
static __always_inline __u64 maple_walk(__u64 mm, __u64 pc, struct maple_node_range *scratch)
{
	struct mm_struct *map = (void *)mm;
	struct maple_node_arange *arange = (void *)scratch;
	__u64 entry = (__u64)BPF_CORE_READ(map, mm_mt.ma_root);

	if ((entry & 3) != 2)
		return 0;
	for (int depth = 0; depth < 8; depth++) {
		__u32 type = (entry >> 3) & 0xf;
		__u64 slot;

		if (bpf_probe_read_kernel(scratch, sizeof(*scratch), (void *)(entry & ~0xffull)))
			return 0;
		if (type == MAPLE_ARANGE) {
			slot = PIVOTS_BELOW(arange->pivot, 9, pc);
			if (slot > 9)
				return 0;
			entry = arange->slot[slot];
		} else {
			slot = PIVOTS_BELOW(scratch->pivot, 15, pc);
			if (slot > 15)
				return 0;
			entry = scratch->slot[slot];
			if (type == MAPLE_LEAF)
				return entry & 3 ? 0 : entry;
		}
	}
	return 0;
}

#endif
