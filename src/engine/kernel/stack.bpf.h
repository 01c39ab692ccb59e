/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The walk up a user's stack, by tables that the collector has compiled (unwinding.c).  Most frames
 * are of few kinds: their rules are there in a short form, and the stack is read a piece at a time,
 * for a reading costs by its number more than by its bytes.  What is rare, unwind_step() does. */

#define STACK_WINDOW 2048 /* a power of two */
#define STACK_PAGE 4096u
#define STACK_PIECE 512u	       /* the most that one short rule reads */
#define STACK_LARGEST_FRAME (1u << 20) /* by frame pointers; a larger one is none */
#define VM_EXEC 4ul

/* Set before the object is loaded. */
const volatile __u32 max_stack = 256;
const volatile bool folds = true; /* direct recursion is one call */

struct stack_call {
	__u64 address;
	__u32 file;
	__u32 task;
	__u32 flags;	/* enum kernel_call_flag */
	__u32 function; /* where its rows begin, and 1; 0: not known */
};

/* Of one CPU and one tick: too much for the program's own stack. */
struct stack_state {
	__u64 ip, sp, bp, bx;
	__u64 window_start;
	__u32 window_size;
	__u32 count; /* of calls */
	__u32 end;   /* enum kernel_stack_end; 0: it goes on */
	__u8 has_bp, has_bx;
	__u8 is_exact;	   /* IP runs next; else it is where a call returns to */
	__u8 is_innermost; /* all registers are as they were */
	__u8 is_leaf;	   /* and it is where the tick fell, no call */
	__u8 is_32_bit;
	/* The mapping that IP was in last, and its table. */
	__u64 start, size, base;
	__u32 file, table_state;
	__u32 first_offset, page_base, page_count, page_shift;
	/* Of the tick. */
	__u64 mm, exec_id;
	__u32 tgid, generation;
	bool exact;
	/* The number of the context, and what the next call is weighed with in it. */
	__u64 context, weight;
	__u32 unknown; /* calls, the innermost ones */
	__u64 registers[16];
	struct pt_regs saved;
	struct stack_call calls[STACK_FRAMES];
	__u64 kernel[STACK_KERNEL_FRAMES];
	__u8 window[STACK_WINDOW + sizeof(__u64)];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack_state);
} stacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STACK_TABLES);
	__type(key, __u32);
	__type(value, struct kernel_table);
} tables SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* made larger where it is used */
	__type(key, __u32);
	__type(value, struct kernel_table_page);
} table_pages SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kernel_table_row);
} table_rows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, STACK_RULES);
	__type(key, __u32);
	__type(value, struct kernel_rule);
} table_rules SEC(".maps");

/* Files without a table, told to the collector once each. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 65536);
} asked SEC(".maps");

struct stack_walk { /* on the stack, as the helper wants it */
	struct bpf_perf_event_data *event;
	struct stack_state *state;
};

/* ---- the table ---- */

/* Tell the collector, which is the only one to compile a table, of FILE. */
static __always_inline void stack_ask(struct kernel_table *table, __u32 file)
{
	if (__sync_val_compare_and_swap(&table->state, KERNEL_TABLE_UNKNOWN, KERNEL_TABLE_ASKED) ==
	    KERNEL_TABLE_UNKNOWN)
		bpf_ringbuf_output(&asked, &file, sizeof(file), 0);
}

static __always_inline void stack_take_table(struct stack_state *state)
{
	__u32 slot = state->file == KERNEL_SPACE_VDSO ? STACK_TABLE_VDSO : state->file;
	struct kernel_table *table = bpf_map_lookup_elem(&tables, &slot);

	state->table_state = KERNEL_TABLE_NONE;
	if (!table)
		return;
	state->table_state = *(volatile __u32 *)&table->state;
	if (state->table_state == KERNEL_TABLE_UNKNOWN && state->file < KERNEL_FILES)
		stack_ask(table, state->file);
	state->first_offset = table->first_offset;
	state->page_base = table->page_base;
	state->page_count = table->page_count;
	state->page_shift = table->page_shift;
}

/* Code that a program has made itself has frame pointers, or nothing; what is no code, has not. */
static __always_inline __u32 stack_anonymous(const struct stack_state *state,
					     const struct cached_page *page)
{
	struct vm_area_struct *vma = (void *)page->view.vma;

	if (state->is_32_bit || !(BPF_CORE_READ(vma, vm_flags) & VM_EXEC))
		return KERNEL_TABLE_NONE;
	return KERNEL_TABLE_EMPTY;
}

/* A file that the collector knew before any program had it: now one has. */
__noinline __u32 stack_meet(__u32 number, __u64 file)
{
	__u32 zero = 0;
	struct cpu_state *cpu = bpf_map_lookup_elem(&cpus, &zero);
	struct kernel_file *slot = file_of(number);

	if (!cpu)
		return 0;
	file_take_path(cpu, slot, file);
	file_take_holder(slot);
	slot->flags |= KERNEL_FILE_USED;
	return 1;
}

/* Have the mapping at ADDRESS, from the memory of pages or anew.  Global functions are looked at
 * once by the verifier, and not for each way that leads to them: hence this one and those below. */
__noinline int stack_locate(struct bpf_perf_event_data *event, __u64 address)
{
	struct tick tick = {.event = event, .task = bpf_get_current_task_btf(), .pc = address};
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	enum unresolved reason = NO_MAPPING;
	struct cached_page *page;

	tick.cpu = bpf_map_lookup_elem(&cpus, &zero);
	if (!state || !tick.cpu)
		return 0;
	tick.mm = state->mm;
	tick.exec_id = state->exec_id;
	tick.tgid = state->tgid;
	tick.generation = state->generation;
	tick.exact = state->exact;
	page = page_slot(&tick);
	if (!page_fresh(&tick, page, tick.generation, tick.exact) &&
	    !page_fill(&tick, page, tick.generation, tick.exact, &reason))
		return 0;
	state->start = page->view.start;
	state->size = page->view.end - page->view.start;
	state->base = page->base;
	state->file = page->file;
	if (page->file < KERNEL_FILES && !(file_of(page->file)->flags & KERNEL_FILE_USED))
		stack_meet(page->file, page->view.file);
	if (page->file == KERNEL_SPACE_ANONYMOUS)
		state->table_state = stack_anonymous(state, page);
	else
		stack_take_table(state);
	return 1;
}

/* The row that OFFSET has in PAGE of the index: its rule, and above it where its function begins.
 */
__noinline __u64 stack_row(__u32 page, __u32 offset)
{
	struct kernel_table_page *within = bpf_map_lookup_elem(&table_pages, &page);
	struct kernel_table_row *row;
	__u32 low, high;

	if (!within)
		return UNWIND_UNKNOWN;
	low = within->low;
	high = within->high;
	for (int i = 0; i < STACK_ROWS_IN_PAGE_BITS; i++) {
		__u32 middle = low + ((high - low) >> 1);

		if (low + 1 >= high)
			break;
		row = bpf_map_lookup_elem(&table_rows, &middle);
		if (!row)
			return UNWIND_UNKNOWN;
		if (row->offset <= offset)
			low = middle;
		else
			high = middle;
	}
	row = bpf_map_lookup_elem(&table_rows, &low);
	if (!row || row->offset > offset || low + 1 < high)
		return UNWIND_UNKNOWN;
	if (row->back == 0xffff)
		return row->rule;
	return (__u64)(low - row->back + 1) << 32 | row->rule;
}

/* ---- the stack ---- */

/* Have what lies between LOW and HIGH, which are at most STACK_PIECE apart, in the window.  It ends
 * where a page does, for beyond a stack's last there may be nothing. */
static __noinline int stack_read(struct stack_state *state, __u64 low, __u64 high)
{
	__u64 page_end = (low | (STACK_PAGE - 1)) + 1;
	__u64 size = STACK_WINDOW;

	if (page_end - low < size && high <= page_end)
		size = page_end - low;
	state->window_size = 0;
	if (size > STACK_WINDOW)
		return 0;
	if (bpf_probe_read_user(state->window, size, (void *)low)) {
		size = high - low;
		if (size > STACK_PIECE || bpf_probe_read_user(state->window, size, (void *)low))
			return 0;
	}
	state->window_start = low;
	state->window_size = size;
	return 1;
}

static __always_inline int stack_have(struct stack_state *state, __u64 low, __u64 high)
{
	if (low >= state->window_start && high <= state->window_start + state->window_size)
		return 1;
	return stack_read(state, low, high);
}

static __always_inline __u64 stack_word(const struct stack_state *state, __u64 address)
{
	return *(const __u64 *)&state->window[(address - state->window_start) & (STACK_WINDOW - 1)];
}

/* ---- a step ---- */

/* A rule of a short form: the caller's frame, or why there is none. */
static __always_inline __u32 stack_step_short(struct stack_state *state,
					      const struct kernel_rule *rule)
{
	bool by_bp = rule->kind == KERNEL_RULE_BY_BP;
	__u64 cfa = (by_bp ? state->bp : state->sp) + (__s64)rule->cfa;
	__u64 low = cfa + (__s64)rule->low;

	if (by_bp && !state->has_bp)
		return KERNEL_STACK_NO_RULE;
	if (cfa < state->sp || (cfa == state->sp && !state->is_exact) ||
	    !stack_have(state, low, cfa))
		return KERNEL_STACK_NOT_READABLE;
	state->ip = stack_word(state, cfa - sizeof(__u64));
	state->sp = cfa;
	if (rule->bp) {
		state->bp = stack_word(state, cfa + (__s64)rule->bp);
		state->has_bp = 1;
	}
	if (rule->bx) {
		state->bx = stack_word(state, cfa + (__s64)rule->bx);
		state->has_bx = 1;
	}
	state->is_exact = 0;
	state->is_innermost = 0;
	return 0;
}

static __always_inline int stack_read_word(void *context, uint64_t address, uint32_t size,
					   uint64_t *ret_word)
{
	return !bpf_probe_read_user(ret_word, sizeof(*ret_word), (void *)address);
}

/* Any other rule. */
__noinline __u32 stack_step_long(__u32 number)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	struct kernel_rule *rule = bpf_map_lookup_elem(&table_rules, &number);
	struct unwind_frame frame = {};
	enum unwind_end end;

	if (!state || !rule)
		return KERNEL_STACK_NO_RULE;
	frame.ip = state->ip;
	frame.sp = state->sp;
	frame.bp = state->bp;
	frame.bx = state->bx;
	frame.has_bp = state->has_bp;
	frame.has_bx = state->has_bx;
	frame.is_exact = state->is_exact;
	if (state->is_innermost)
		frame.registers = (const uint64_t *)state->registers;
	end = unwind_step(&frame, (const struct unwind_rule *)rule->whole, sizeof(__u64),
			  stack_read_word, NULL);
	if (end == UNWIND_NOT_READABLE || end == UNWIND_NO_PROGRESS)
		return KERNEL_STACK_NOT_READABLE;
	if (end != UNWIND_GOES_ON)
		return KERNEL_STACK_NO_RULE;
	state->ip = frame.ip;
	state->sp = frame.sp;
	state->bp = frame.bp;
	state->bx = frame.bx;
	state->has_bp = frame.has_bp;
	state->has_bx = frame.has_bx;
	state->is_exact = frame.is_exact;
	state->is_innermost = 0;
	return 0;
}

/* By frame pointers.  In an innermost function's first instructions, and at its last, the caller's
 * frame pointer is still or again the one there is. */
__noinline __u32 stack_step_bp(__u32 most)
{
	__u32 zero = 0;
	struct stack_state *state = bpf_map_lookup_elem(&stacks, &zero);
	__u64 code = 0, frame[2];
	__u64 at;

	if (!state || !state->has_bp)
		return KERNEL_STACK_NO_RULE;
	at = state->bp;
	if (state->is_exact && !bpf_probe_read_user(&code, sizeof(code), (void *)(state->ip - 1))) {
		__u8 now = code >> 8;

		if (now == 0x55 || now == 0xc3 || (__u32)(code >> 8) == 0xfa1e0ff3)
			at = state->sp - sizeof(__u64); /* push %rbp, ret, endbr64 */
		else if ((code & 0xffffffff) == 0xe5894855)
			at = state->sp; /* mov %rsp,%rbp */
	}
	if (at + sizeof(__u64) < state->sp || at - state->sp + sizeof(__u64) > most ||
	    at % sizeof(__u64))
		return KERNEL_STACK_NO_RULE;
	if (bpf_probe_read_user(frame, sizeof(frame), (void *)at))
		return KERNEL_STACK_NOT_READABLE;
	if (at + sizeof(__u64) != state->sp)
		state->bp = frame[0];
	state->ip = frame[1];
	state->sp = at + sizeof(frame);
	state->has_bx = 0;
	state->is_exact = 0;
	state->is_innermost = 0;
	return state->ip ? 0 : KERNEL_STACK_NO_RULE;
}
