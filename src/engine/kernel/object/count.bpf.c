// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* The tick of a program that profiles itself: from the address to the cell, which lies in a page
 * that the program itself has mapped where its buffer was.  The same law as histogram/region.c. */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "engine/kernel/object/count.h"
#include "engine/kernel/maple.bpf.h"

/* As hidden functions they are taken in as they are called; as public ones the verifier would look
 * at each of them for itself. */
#pragma GCC visibility push(hidden)
#include "histogram/scale.c"
#pragma GCC visibility pop

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Enough halvings for any list of spans. */
#define SPAN_LEVELS 32

/* Whose ticks: the process as the kernel numbers it, and the thread (0: all) as its own namespace
 * does, which is known by the device and inode of its file. */
__u32 wanted_process, wanted_thread;
__u64 namespace_device, namespace_inode;
const volatile __u32 page_shift; /* of the machine's pages */
const volatile struct count_offsets offsets;
__u32 span_step; /* the largest power of 2 that is not above their number; 0: none */
bool ended;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_page);
} area SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_span);
} spans SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_region);
} regions SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_tally);
} tallies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct count_counters);
} counters SEC(".maps");

/* The steps of a tick are public functions: each is verified once, by itself.  Taken in, every way
 * through one would be followed by every way through the next, and loading takes four times as
 * long. */
#define STEP __attribute__((noinline))

#include "engine/kernel/object/cell.bpf.h"
#include "engine/kernel/object/shown.bpf.h"

/* The region of the last span that starts at PC or below, or COUNT_NOBODYS.  By halving steps from
 * below, where the array itself says that a step went beyond its end: of two bounds that move
 * towards each other the verifier would follow every pair. */
STEP __u64 find_region(__u64 pc)
{
	__u32 step = span_step, below = 0;
	__u64 region = COUNT_NOBODYS;

	for (int level = 0; level < SPAN_LEVELS && step; level++, step /= 2) {
		__u32 index = below + step - 1;
		const struct count_span *span = bpf_map_lookup_elem(&spans, &index);

		if (span && span->start <= pc) {
			below += step;
			region = span->region;
		}
	}
	return region;
}

static __always_inline __u64 cell_of(const struct count_region *region, __u64 pc)
{
	__u64 distance = pc - region->offset;

	if (region->catch_all)
		return 0;
	if (region->granule)
		return distance / region->granule;
	return scale_cell(&region->rule, distance, region->scale, region->width);
}

/* The cell of region INDEX for PC, or COUNT_NOBODYS. */
STEP __u64 find_cell(__u32 index, __u64 pc)
{
	const struct count_region *region = bpf_map_lookup_elem(&regions, &index);
	__u64 cell = region ? cell_of(region, pc) : COUNT_NOBODYS;

	return region && cell < region->count ? cell : COUNT_NOBODYS;
}

/* Returns an enum cell_result. */
STEP int add_one(__u32 index, __u64 cell)
{
	const struct count_region *region = bpf_map_lookup_elem(&regions, &index);
	struct count_tally *tally;
	struct count_page *page;
	enum cell_result result;
	__u64 at;
	__u32 number;

	if (!region)
		return CELL_LOST;
	at = region->place + cell * region->width;
	number = at / COUNT_PAGE;
	page = bpf_map_lookup_elem(&area, &number);
	tally = bpf_map_lookup_elem(&tallies, &number);
	if (!page || !tally)
		return CELL_LOST;
	if (!is_shown(number))
		return CELL_IS_GONE;
	/* The cell's own step is an exchange, which nothing passes on any processor. */
	__sync_fetch_and_add(&tally->begun, 1);
	result = cell_add(region, page, at % COUNT_PAGE);
	if (result == CELL_COUNTED)
		__sync_fetch_and_add(&tally->counted, 1);
	else
		__sync_fetch_and_add(&tally->begun, -1);
	if (result == CELL_IS_FULL && region->ends_all)
		ended = true;
	return result;
}

/* Where the program itself stands: at the interrupt, or where it has entered the kernel, whose
 * time is charged to the call as it was on all systems that had one. */
static __always_inline __u64 user_pc(void)
{
	struct pt_regs *regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());

	return PT_REGS_IP(regs);
}

static __always_inline void count(struct count_counters *counter, __u64 pc)
{
	__u64 region = find_region(pc);
	__u64 cell = region == COUNT_NOBODYS ? COUNT_NOBODYS : find_cell(region, pc);

	if (cell == COUNT_NOBODYS) {
		counter->outside++;
		return;
	}
	switch (add_one(region, cell)) {
	case CELL_COUNTED:
		break;
	case CELL_IS_FULL:
		counter->saturated++;
		break;
	case CELL_IS_GONE:
		ended = true;
		/* fall through */
	default:
		counter->lost++;
	}
}

/* A thread that has moved to another namespace is of none that is known here. */
static __always_inline bool is_wanted(void)
{
	struct bpf_pidns_info here;

	if (bpf_get_current_pid_tgid() >> 32 != wanted_process)
		return false;
	if (!wanted_thread)
		return true;
	return !bpf_get_ns_current_pid_tgid(namespace_device, namespace_inode, &here,
					    sizeof(here)) &&
	       here.pid == wanted_thread;
}

SEC("perf_event")
int tick(struct bpf_perf_event_data *event)
{
	struct count_counters *counter;
	__u32 cpu = bpf_get_smp_processor_id();

	if (!is_wanted() || ended)
		return 0;
	counter = bpf_map_lookup_elem(&counters, &cpu);
	if (counter)
		count(counter, user_pc());
	return 0;
}

/* Run once by the process that is measured: within a pid namespace it does not know the number that
 * the kernel knows it by. */
SEC("syscall")
int want(void *context)
{
	wanted_process = bpf_get_current_pid_tgid() >> 32;
	return 0;
}
