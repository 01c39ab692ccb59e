/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The table of all cells. */

/* The cell table is full: the file keeps the count without the address. */
static __always_inline void charge_overflow(struct cpu_state *cpu, __u32 file, __u64 ticks)
{
	if (file < KERNEL_FILES)
		__sync_fetch_and_add(&file_of(file)->overflow, ticks);
	else
		cpu->counters.unresolved[CELLS_FULL] += ticks;
}

/* Add a recent cell's ticks to the table of all cells. */
static __always_inline void spill(struct cpu_state *cpu, const struct kernel_recent_cell *cell)
{
	struct kernel_cell_key key = cell->key;
	__u64 ticks = cell->ticks, *count;

	count = bpf_map_lookup_elem(&cells, &key);
	if (!count) {
		if (!bpf_map_update_elem(&cells, &key, &ticks, BPF_NOEXIST)) {
			__sync_fetch_and_add(&cells_used, 1);
			return;
		}
		/* Another CPU made the same cell meanwhile, or there is no room. */
		count = bpf_map_lookup_elem(&cells, &key);
	}
	if (count)
		__sync_fetch_and_add(count, ticks);
	else
		charge_overflow(cpu, key.file, ticks);
}

static __always_inline bool same_key(const struct kernel_cell_key *a,
				     const struct kernel_cell_key *b)
{
	return a->address == b->address && a->file == b->file && a->task == b->task;
}
