/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#pragma once

/* Whether the program still has a page of the area where its buffer was, and may write there.  The
 * area itself outlives all that the program does with its mapping, so nothing else would tell: to
 * unmap the buffer, to protect it or to put something else in its place ends the profiling.
 *
 * It is asked only when the program's memory map has been written since: a page remembers the map's
 * generation as of when it was last found (struct count_tally). */

struct task_struct;
struct mm_struct;
struct vm_area_struct;

#define VM_WRITE 2 /* include/linux/mm.h */

/* Where the kernel keeps no exact generation (before 6.4), a page is looked for at least once in so
 * many of its ticks. */
#define SHOWN_TICKS 64

enum shown {
	SHOWN,
	SHOWN_NO_MORE,
	SHOWN_UNKNOWN, /* the map is being written: ask at the next tick */
};

struct sought {
	__u64 mm, address, place;
	bool found;
};

/* What a structure of the kernel has at OFFSET. */
static __always_inline __u64 read_member(__u64 structure, __u32 offset)
{
	__u64 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (const void *)(structure + offset));
	return value;
}

/* The same of one that the verifier knows, by a plain load: it knows the offset, too. */
#define MEMBER(type, structure, offset) (*(type const *)((const char *)(structure) + (offset)))

/* Whether the mapping VMA shows the area's bytes from PLACE on at ADDRESS, and lets write there. */
static __always_inline bool vma_shows(__u64 vma, const struct sought *sought)
{
	__u64 start;

	if (!vma || read_member(vma, offsets.mapping_map) != sought->mm)
		return false;
	start = read_member(vma, offsets.mapping_start);
	return start <= sought->address &&
	       sought->address < read_member(vma, offsets.mapping_end) &&
	       read_member(vma, offsets.mapping_private) == (__u64)&area &&
	       read_member(vma, offsets.mapping_flags) & VM_WRITE &&
	       sought->address - start ==
		       sought->place - (read_member(vma, offsets.mapping_page) << page_shift);
}

static long ask_vma(struct task_struct *task, struct vm_area_struct *vma, struct sought *sought)
{
	sought->found = vma_shows((__u64)vma, sought);
	return 0;
}

STEP __u64 find_vma(__u64 mm, __u64 address)
{
	struct maple_node_range scratch;

	return maple_walk(read_member(mm, offsets.map_tree), address, &scratch);
}

/* What the walk without a lock finds is there; what it does not find may just be on the move, so
 * that its word is not enough to end on.  Returns an enum shown. */
STEP int find_shown(__u64 address, __u64 place)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct sought sought = {
		.mm = read_member((__u64)task, offsets.task_map),
		.address = address,
		.place = place,
	};
	long error;

	if (offsets.map_tree != COUNT_NOWHERE && vma_shows(find_vma(sought.mm, address), &sought))
		return SHOWN;
	error = bpf_find_vma(task, address, ask_vma, &sought, 0);
	if (error && error != -ENOENT)
		return SHOWN_UNKNOWN;
	return sought.found ? SHOWN : SHOWN_NO_MORE;
}

/* What stands for the state of the memory map, never 0: its write generation, or, where the kernel
 * keeps none, what moves at most of its writes, for so many ticks at most. */
static __always_inline __u64 map_state(const struct mm_struct *mm, const struct count_tally *tally)
{
	__u32 generation = offsets.map_generation, likely;

	if (generation != COUNT_NOWHERE)
		return 1ull << 32 | MEMBER(__u32, mm, generation);
	likely = MEMBER(__u32, mm, offsets.map_count) +
		 31 * MEMBER(__u64, mm, offsets.map_executable) +
		 1009 * MEMBER(__u64, mm, offsets.map_total);
	return (1ull << 32 | likely) + (tally->begun / SHOWN_TICKS << 33);
}

/* Whether page NUMBER of the area may be counted in.  Until it is known that it may not, it may; a
 * thread on its way out has no map to look at any more. */
STEP int is_shown(__u32 number)
{
	struct count_tally *tally = bpf_map_lookup_elem(&tallies, &number);
	const struct mm_struct *mm =
		MEMBER(struct mm_struct *, bpf_get_current_task_btf(), offsets.task_map);
	enum shown shown;
	__u64 state;

	if (!mm || !tally)
		return true;
	state = map_state(mm, tally);
	if (tally->found_at == state)
		return true;
	shown = find_shown(tally->address, (__u64)number * COUNT_PAGE);
	if (shown == SHOWN)
		tally->found_at = state;
	return shown != SHOWN_NO_MORE;
}
