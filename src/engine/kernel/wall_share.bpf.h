/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What each sample is of the time on the wall, where all of it is accounted for (wall.bpf.h): a
 * sample shares its period with all threads that run just then. */

/* Set before the object is loaded. */
const volatile bool wall; /* off: none of this is in any program */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_wall_all);
} wall_all SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, struct kernel_stack_key);
	__type(value, __u64);
} wall_shares SEC(".maps");

/* A clock's tick in TASK, measured or not (wall_events.bpf.h). */
static int wall_see(struct task_struct *task);

/* A sample of the cell with KEY. */
static __noinline int wall_share(const struct kernel_stack_key *key)
{
	__u32 zero = 0;
	struct kernel_wall_all *all = bpf_map_lookup_elem(&wall_all, &zero);
	__u64 share, *sum;

	if (!all)
		return 0;
	share = WALL_SHARE / (all->now >> WALL_SINCE_BITS ?: 1);
	sum = bpf_map_lookup_elem(&wall_shares, key);
	if (!sum) {
		if (!bpf_map_update_elem(&wall_shares, key, &share, BPF_NOEXIST))
			return 0;
		sum = bpf_map_lookup_elem(&wall_shares, key);
	}
	__sync_fetch_and_add(sum ?: &all->shares_full, share);
	return 0;
}
