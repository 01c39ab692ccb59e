/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "maple.bpf.h"

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

/* The write generation of a memory map.  *RET_EXACT: two equal readings mean that nothing was
 * written in between; else only that it is likely. */
static __always_inline __u32 mm_generation(struct mm_struct *mm, bool *ret_exact)
{
	struct mm_struct___numbers *older = (void *)mm;

	*ret_exact = true;
	if (bpf_core_field_exists(mm->mm_lock_seq.sequence))
		return mm->mm_lock_seq.sequence;
	if (bpf_core_field_exists(older->mm_lock_seq))
		return older->mm_lock_seq;
	*ret_exact = false;
	return mm->map_count + 31 * mm->exec_vm + 1009 * mm->total_vm;
}

static __always_inline bool vma_look(__u64 address, struct vma_view *view)
{
	struct vm_area_struct *vma = (void *)address;

	if (!address)
		return false;
	view->vma = address;
	view->mm = (__u64)BPF_CORE_READ(vma, vm_mm);
	view->start = BPF_CORE_READ(vma, vm_start);
	view->end = BPF_CORE_READ(vma, vm_end);
	view->page_offset = BPF_CORE_READ(vma, vm_pgoff);
	view->file = (__u64)BPF_CORE_READ(vma, vm_file);
	view->lock_seq = 0;
	if (bpf_core_field_exists(vma->vm_lock_seq))
		view->lock_seq = BPF_CORE_READ(vma, vm_lock_seq);
	return true;
}

static __always_inline bool vma_holds(const struct vma_view *view, __u64 mm, __u64 pc)
{
	return view->mm == mm && view->start <= pc && pc < view->end;
}
