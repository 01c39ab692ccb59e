/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What is at a user address: the per-CPU memory of pages, and the way to find out. */

static __always_inline bool tree_is_walked(void)
{
	return walk_allowed && bpf_core_field_exists(((struct mm_struct *)0)->mm_mt);
}

/* The mapping at PC by the map's own tree, or 0. */
__noinline __u64 vma_walk(__u64 mm, __u64 pc)
{
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	struct mm_struct *map = (void *)mm;

	return cpu ? maple_walk((__u64)BPF_CORE_READ(map, mm_mt.ma_root), pc, &cpu->node) : 0;
}

/* A 32-bit program's is where it can reach it, and no other's is there. */
static __always_inline __u32 vdso_space(const struct vma_view *view)
{
	return view->start >> 32 ? KERNEL_SPACE_VDSO : KERNEL_SPACE_VDSO32;
}

/* What PAGE's mapping, just looked at in VIEW, is.  False: the file table is full. */
static __always_inline bool page_identify(struct tick *tick, struct cached_page *page)
{
	struct mm_struct *map = (void *)tick->mm;
	struct vma_view *view = &tick->cpu->view;
	struct file *file = (void *)view->file;
	struct dentry *exe;

	if (!file) {
		bool vdso = view->start == (__u64)BPF_CORE_READ(map, context.vdso);

		page->file = vdso ? vdso_space(view) : KERNEL_SPACE_ANONYMOUS;
		page->base = vdso ? view->start : 0;
		return true;
	}
	page->file = file_number((__u64)file, KERNEL_FILE_USED);
	if (page->file >= KERNEL_FILES)
		return false;
	page->base = view->start - (view->page_offset << page_shift);
	exe = BPF_CORE_READ(map, exe_file, f_path.dentry);
	if ((__u64)exe == file_dentry((__u64)file))
		file_of(page->file)->flags |= KERNEL_FILE_PROGRAM;
	return true;
}

static long vma_found(struct task_struct *task, struct vm_area_struct *vma, struct vma_view *view)
{
	vma_look((__u64)vma, view);
	return 0;
}

/* Have the mapping at PC in the CPU's view, by the map's lock.  Apart, for its stack is needed by
 * no other way. */
__noinline long look_up_locked(__u64 pc)
{
	struct vma_view found = {}; /* the helper hands only stack memory to its callback */
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	long error;

	if (!cpu)
		return -ENOENT;
	error = bpf_find_vma(bpf_get_current_task_btf(), pc, vma_found, &found, 0);
	cpu->view = found;
	return error;
}

/* Fill the CPU's view with the mapping at the pc, or say why not. */
static __always_inline bool look_up(struct tick *tick, enum unresolved *ret_reason)
{
	struct cpu_state *cpu = tick->cpu;
	struct vma_view *view = &cpu->view;
	long error;

	if (tree_is_walked()) {
		__u64 vma = vma_walk(tick->mm, tick->pc);

		cpu->counters.vma_walks++;
		if (vma_look(vma, view) && vma_holds(view, tick->mm, tick->pc))
			return true;
	}
	/* The map was changing under the walk, or nothing is there: ask under the lock. */
	cpu->counters.vma_finds++;
	error = look_up_locked(tick->pc);
	*ret_reason = error && error != -ENOENT ? MAP_BUSY : NO_MAPPING;
	return !error && vma_holds(view, tick->mm, tick->pc);
}

/* A mapping that has not been locked for writing since it was looked at is what it was. */
static __always_inline bool page_unchanged(struct tick *tick, struct cached_page *page)
{
	struct vma_view *view = &tick->cpu->view;

	if (!bpf_core_field_exists(((struct vm_area_struct *)0)->vm_lock_seq))
		return false;
	vma_look(page->view.vma, view);
	return vma_holds(view, tick->mm, tick->pc) && view->lock_seq == page->view.lock_seq &&
	       view->file == page->view.file && view->start == page->view.start &&
	       view->page_offset == page->view.page_offset;
}

static __always_inline bool page_fresh(struct tick *tick, struct cached_page *page,
				       __u32 generation, bool exact)
{
	if (page->mm != tick->mm || page->page != tick->pc >> page_shift ||
	    page->tgid != tick->tgid || page->exec_id != tick->exec_id)
		return false;
	if (page->generation == generation) {
		if (exact)
			return true;
		/* From 6.1 to 6.3 there is no telling whether a mapping is what it was, for another
		 * of its size may be in its place; but the tree is cheap enough to be asked at
		 * every tick.  Before, some ticks take what the last one found. */
		if (!tree_is_walked() && page->uses_left) {
			page->uses_left--;
			return true;
		}
		return false;
	}
	if (!exact || !page_unchanged(tick, page))
		return false;
	page->generation = generation;
	return true;
}

static __always_inline struct cached_page *page_slot(struct tick *tick)
{
	__u64 page = tick->pc >> page_shift;
	__u32 slot = page ^ page >> 7 ^ tick->mm >> 6 ^ tick->mm >> 13;

	return &tick->cpu->pages[slot & (CACHED_PAGES - 1)];
}

/* Find out what PAGE is and keep it; false, with the reason, when it cannot be told. */
static __always_inline bool page_fill(struct tick *tick, struct cached_page *page, __u32 generation,
				      bool exact, enum unresolved *ret_reason)
{
	tick->cpu->counters.cache_misses++;
	page->mm = 0;
	if (!look_up(tick, ret_reason))
		return false;
	*ret_reason = FILES_FULL;
	if (!page_identify(tick, page))
		return false;
	page->page = tick->pc >> page_shift;
	page->tgid = tick->tgid;
	page->exec_id = tick->exec_id;
	page->generation = generation;
	page->uses_left = INEXACT_USES;
	page->wants_build_id = page->file < KERNEL_FILES && file_of(page->file)->build_id_tries;
	page->view = tick->cpu->view;
	/* A mapping that is locked for writing right now may change without a trace. */
	if (!exact || page->view.lock_seq != generation)
		page->mm = tick->mm;
	return true;
}
