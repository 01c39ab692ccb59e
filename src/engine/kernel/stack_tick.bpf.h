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

static __always_inline struct kernel_stack_recent_cell *
stack_recent_of(const struct kernel_stack_key *key)
{
	__u64 mixed = (key->place.address ^ (__u64)key->place.task << 20) + key->context;
	__u32 zero = 0;
	struct kernel_stack_recent *all = bpf_map_lookup_elem(&stack_recent, &zero);

	mixed = mixed * STACK_WEIGHT >> 32;
	return all ? &all->cells[mixed & (STACK_RECENT - 1)] : NULL;
}

static __always_inline bool same_stack(const struct kernel_stack_key *a,
				       const struct kernel_stack_key *b)
{
	return same_key(&a->place, &b->place) && a->context == b->context && a->end == b->end;
}

/* Charge the cell of the walk's key, if it is a recent one. */
static __always_inline bool stack_charge_again(const struct stack_state *state)
{
	struct kernel_stack_recent_cell *cell = stack_recent_of(&state->key);

	if (!cell || !cell->ticks || !same_stack(&cell->key, &state->key))
		return false;
	cell->ticks++;
	return true;
}

/* The same of what becomes one, unless another context has made it the one before. */
static __always_inline void stack_charge(struct tick *tick, const struct stack_state *state)
{
	const struct kernel_stack_key *key = &state->key;
	struct kernel_stack_recent_cell *cell = stack_recent_of(key);

	if (!cell)
		return;
	if (cell->ticks && same_stack(&cell->key, key)) {
		cell->ticks++;
		return;
	}
	if (cell->ticks)
		stack_spill(tick->cpu, cell);
	else
		tick->cpu->counters.recent_used++;
	cell->key = *key;
	cell->ticks = 1;
	if (key->place.task)
		owner_remember(tick, &state->place, key->place.task);
}

/* A recent cell's context is in the tree: nothing of it is asked for again. */
static __noinline int stack_charge_path(struct tick *tick, struct stack_state *state)
{
	struct stack_walk walk = {.event = tick->event, .state = state};

	call_weigh(state);
	state->key.place.address = state->place.address;
	state->key.place.file = state->place.file;
	state->key.place.task = cell_task(tick, &state->place);
	state->key.context = state->context;
	state->key.end = state->end;
	if (!stack_charge_again(state)) {
		context_find(&walk);
		state->key.context = state->context;
		state->key.end = state->end;
		stack_charge(tick, state);
	}
	if (wall)
		wall_share(&state->key);
	if (state->place.wants_build_id)
		take_build_id(tick, state->place.file);
	return 0;
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

/* What the walk hangs on. */
static __always_inline void stack_take_memory(const struct tick *tick, struct stack_state *state)
{
	state->mm = tick->mm;
	state->exec_id = tick->exec_id;
	state->tgid = tick->tgid;
	state->code_owner = owner_of_code(tick->task, tick->tgid);
	state->generation = tick->generation;
	state->exact = tick->exact;
}

/* The registers of the program where it entered the kernel.  Returns 0, or how the path ends where
 * there are none. */
static __always_inline __u32 stack_entry(struct tick *tick, struct stack_state *state)
{
#if defined(__TARGET_ARCH_x86)
	if (tick->task->flags & PF_KTHREAD)
		return KERNEL_STACK_WHOLE;
	if (!look_at_memory(tick) || bpf_probe_read_kernel(&state->saved, sizeof(state->saved),
							   (void *)bpf_task_pt_regs(tick->task)))
		return KERNEL_STACK_EXITING;
	stack_take_memory(tick, state);
	stack_begin(state, &state->saved);
	return (__s64)state->ip > 0 ? 0 : KERNEL_STACK_EXITING;
#else
	return KERNEL_STACK_NO_TABLE;
#endif
}

/* A tick in the kernel: its own calls, and where the program's begin. */
static __always_inline void stack_from_kernel(struct tick *tick, struct stack_walk *walk)
{
	struct stack_state *state = walk->state;

	kernel_place(tick, &state->place);
	state->place.wants_build_id = false;
	state->is_leaf = 0;
	if (!hide_kernel && !stack_kernel(walk))
		state->end = KERNEL_STACK_TOO_DEEP;
	else
		state->end = stack_entry(tick, state);
}

/* A tick in the program: the mapping that the walk begins in says where it fell, too.  False: there
 * is none. */
static __always_inline bool stack_from_user(struct tick *tick, struct stack_state *state)
{
	__u32 reason;

	state->is_leaf = 1;
	stack_take_memory(tick, state);
#if defined(__TARGET_ARCH_x86)
	stack_begin(state, &tick->event->regs);
#else
	state->end = KERNEL_STACK_NO_TABLE;
#endif
	reason = stack_locate(tick->pc);
	if (reason) {
		reason--;
		barrier_var(reason); /* 6.1 forgets what is known of it in the subtraction */
		if (reason < KERNEL_UNRESOLVED)
			unresolved(tick, reason);
		return false;
	}
	state->place.file = state->file;
	state->place.address = tick->pc - state->base;
	state->place.wants_build_id = state->wants_build_id;
	return true;
}

/* Walk up from where the walk's state is, if it is anywhere. */
static __always_inline void stack_climb(struct stack_walk *walk)
{
	struct stack_state *state = walk->state;

	if (!state->end) {
		bpf_loop(STACK_FRAMES + STACK_FRAMES, stack_step, walk, 0);
		if (!state->end)
			state->end = KERNEL_STACK_TOO_DEEP;
	}
	if (wants_python && state->python_broken && state->end == KERNEL_STACK_WHOLE)
		state->end = KERNEL_STACK_INTERPRETED;
}

/* Walk the tick's stack.  NULL: it has no place. */
static __noinline struct stack_state *stack_walk(struct tick *tick)
{
	struct stack_walk walk = {.event = tick->event};
	struct stack_state *state;
	__u32 zero = 0;

	state = walk.state = bpf_map_lookup_elem(&stacks, &zero);
	if (!state)
		return NULL;
	stack_clear(state);
	if ((__s64)tick->pc < 0)
		stack_from_kernel(tick, &walk);
	else if (!stack_from_user(tick, state))
		return NULL;
	stack_climb(&walk);
	return state;
}

SEC("perf_event")
int tick_with_stack(struct bpf_perf_event_data *event)
{
	struct tick tick = {.event = event, .task = bpf_get_current_task_btf()};
	struct stack_state *state;

	if (wall)
		wall_see(tick.task);
	if (!is_to_be_charged(&tick) || !look_around(&tick))
		return 0;
	state = stack_walk(&tick);
	if (state)
		stack_charge_path(&tick, state);
	return 0;
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
		known_number = file_number(found.file, /* flags= */ 0);
	return 0;
}

/* ---- programs that are begun to run ---- */

/* The table of a program is asked for before its first tick. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(executed, struct task_struct *task)
{
	__u64 file = (__u64)BPF_CORE_READ(task, mm, exe_file);
	struct kernel_asked what = {KERNEL_ASKED_PROGRAM, task->tgid};
	struct kernel_table *table = NULL;
	struct kernel_file_key key = {};
	__u32 *number;

	if (!file || file_count >= KERNEL_FILES ||
	    (everyone ? !counting : !bpf_task_storage_get(&members, task, NULL, 0)))
		return 0;
	file_key(file, &key);
	number = bpf_map_lookup_elem(&file_numbers, &key);
	if (number)
		table = bpf_map_lookup_elem(&tables, number);
	if (!table || table->state < KERNEL_TABLE_ASKED)
		bpf_ringbuf_output(&asked, &what, sizeof(what), 0);
	return 0;
}
