/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The tick where calling contexts are counted: a program of its own, loaded in place of the other
 * one. */

#define PF_KTHREAD 0x00200000u

/* Add a recent cell's ticks to the table of all cells. */
static __always_inline void stack_spill(struct cpu_state *cpu,
					const struct kernel_stack_recent_cell *cell)
{
	struct kernel_stack_key key = cell->key;
	__u64 ticks = cell->ticks, *count;

	count = bpf_map_lookup_elem(&stack_cells, &key);
	if (!count) {
		if (!bpf_map_update_elem(&stack_cells, &key, &ticks, BPF_NOEXIST)) {
			__sync_fetch_and_add(&cells_used, 1);
			return;
		}
		count = bpf_map_lookup_elem(&stack_cells, &key);
	}
	if (count)
		__sync_fetch_and_add(count, ticks);
	else
		charge_overflow(cpu, key.place.file, ticks);
}

static __always_inline void stack_charge(struct tick *tick, const struct place *place,
					 const struct stack_state *state)
{
	struct kernel_stack_key key = {};
	struct kernel_stack_recent_cell *cell;
	struct kernel_stack_recent *all;
	__u32 zero = 0;
	__u64 mixed;

	key.place.address = place->address;
	key.place.file = place->file;
	key.place.task = cell_task(tick, place);
	key.context = state->context;
	key.end = state->end;
	mixed = (place->address ^ (__u64)key.place.task << 20) + state->context;
	mixed = mixed * 0x9e3779b97f4a7c15ull >> 32;
	all = bpf_map_lookup_elem(&stack_recent, &zero);
	if (!all)
		return;
	cell = &all->cells[mixed & (STACK_RECENT - 1)];
	if (cell->ticks && same_key(&cell->key.place, &key.place) &&
	    cell->key.context == key.context && cell->key.end == key.end) {
		cell->ticks++;
		return;
	}
	if (cell->ticks)
		stack_spill(tick->cpu, cell);
	else
		tick->cpu->counters.recent_used++;
	cell->key = key;
	cell->ticks = 1;
	if (key.place.task)
		owner_remember(tick, place, key.place.task);
}

/* The kernel's own calls, which its own unwinder knows.  False: there are more of them than that.
 */
static __always_inline bool stack_kernel(struct stack_walk *walk)
{
	struct stack_state *state = walk->state;
	long size = bpf_get_stack(walk->event, state->kernel, sizeof(state->kernel), 0);

	if (size < (long)(2 * sizeof(__u64)))
		return true;
	bpf_loop((__u32)size / sizeof(__u64) - 1, kernel_step, walk, 0);
	return size < (long)sizeof(state->kernel);
}

/* The registers of the program.  Returns 0, or how the path ends where there are none. */
static __always_inline __u32 stack_registers(struct tick *tick, struct stack_state *state,
					     bool in_kernel)
{
#if defined(__TARGET_ARCH_x86)
	if (!in_kernel) {
		stack_begin(state, &tick->event->regs);
		return 0;
	}
	if (tick->task->flags & PF_KTHREAD)
		return KERNEL_STACK_WHOLE;
	if (!look_at_memory(tick) || bpf_probe_read_kernel(&state->saved, sizeof(state->saved),
							   (void *)bpf_task_pt_regs(tick->task)))
		return KERNEL_STACK_EXITING;
	stack_begin(state, &state->saved);
	return (__s64)state->ip > 0 ? 0 : KERNEL_STACK_EXITING;
#else
	return KERNEL_STACK_NO_TABLE;
#endif
}

static __noinline int stack_walk_and_charge(struct tick *tick)
{
	bool in_kernel = (__s64)tick->pc < 0;
	struct stack_walk walk = {.event = tick->event};
	struct place place = {};
	struct stack_state *state;
	__u32 zero = 0;

	if (!find_place(tick, &place))
		return 0;
	state = walk.state = bpf_map_lookup_elem(&stacks, &zero);
	if (!state)
		return 0;
	stack_clear(state);
	if (in_kernel && !hide_kernel && !stack_kernel(&walk))
		state->end = KERNEL_STACK_TOO_DEEP;
	else
		state->end = stack_registers(tick, state, in_kernel);
	state->is_leaf = !in_kernel;
	state->mm = tick->mm;
	state->exec_id = tick->exec_id;
	state->tgid = tick->tgid;
	state->generation = tick->generation;
	state->exact = tick->exact;
	if (!state->end) {
		bpf_loop(STACK_FRAMES + STACK_FRAMES, stack_step, &walk, 0);
		if (!state->end)
			state->end = KERNEL_STACK_TOO_DEEP;
	}
	context_find(&walk);
	stack_charge(tick, &place, state);
	if (place.wants_build_id)
		take_build_id(tick, place.file);
	return 0;
}

SEC("perf_event")
int tick_with_stack(struct bpf_perf_event_data *event)
{
	struct tick tick = {.event = event, .task = bpf_get_current_task_btf()};

	if (!is_to_be_charged(&tick) || !look_around(&tick))
		return 0;
	return stack_walk_and_charge(&tick);
}

/* ---- files that profil itself knows ---- */

/* The file that is mapped at ADDRESS of the collector gets a number. */
__u64 known_address;
__u32 known_number;
bool known_add; /* where it has none */

static long known_found(struct task_struct *task, struct vm_area_struct *vma, struct vma_view *view)
{
	vma_look((__u64)vma, view);
	return 0;
}

SEC("syscall")
int know_file(void *context)
{
	struct vma_view found = {};
	struct kernel_file_key key;
	__u32 *known;

	known_number = KERNEL_FILES;
	if (bpf_find_vma(bpf_get_current_task_btf(), known_address, known_found, &found, 0) ||
	    !found.file)
		return 0;
	file_key(found.file, &key);
	known = bpf_map_lookup_elem(&file_numbers, &key);
	if (known) {
		known_number = *known;
		return 0;
	}
	if (known_add)
		known_number = file_number(found.file);
	if (known_number < KERNEL_FILES)
		file_of(known_number)->flags &= ~KERNEL_FILE_USED;
	return 0;
}
